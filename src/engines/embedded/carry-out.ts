import type { StepContext } from "./context.ts";
import {
  isRead,
  READS,
  STEPS,
  type StepInput,
  type StepName,
  type StepRequest,
  type StepResult,
} from "./requests.ts";

type Runs = { readonly [N in StepName]: (context: StepContext, input: StepInput<N>) => StepResult<N> };

const RUNS: Runs = { ...STEPS, ...READS };

/** Runs one step, in the transaction that its caller has begun. */
export function carryOut<N extends StepName>(
  context: StepContext,
  { name, input }: StepRequest<N>,
): StepResult<N> {
  if (!isRead(name)) context.tables.meta.noteTime(context.nowMs);
  return RUNS[name](context, input);
}
