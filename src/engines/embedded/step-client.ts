import { READS, STEPS, type StepClient, type StepInput, type StepName, type StepResult } from "./requests.ts";

/** Runs the step of that name in its transaction, on this thread or on the writer's. */
export type AskStep = <N extends StepName>(name: N) => (input: StepInput<N>) => Promise<StepResult<N>>;

/** A name and an input cross to the other thread; a caller sees typed functions. */
export function stepClient(ask: AskStep): StepClient {
  const names = Object.keys({ ...STEPS, ...READS }) as StepName[];
  // The compiler does not follow a key through `fromEntries`; `ask` answers each name with that step's types.
  return Object.fromEntries(names.map((name) => [name, ask(name)])) as StepClient;
}
