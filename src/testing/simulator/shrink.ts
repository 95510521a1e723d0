import type { Plan } from "./plan.ts";
import { type SimulateOptions, type Simulation, simulate } from "./simulate.ts";

/**
 * Takes away whatever the failure does not need: faults, messages, redeliveries, stray wake-ups, workers,
 * settings.
 */
export async function shrink(failed: Simulation, options: SimulateOptions): Promise<Simulation> {
  let smallest = failed;
  for (
    let candidate = await smaller(smallest, options);
    candidate;
    candidate = await smaller(smallest, options)
  ) {
    smallest = candidate;
  }
  return smallest;
}

/** The first simpler plan that still fails. */
async function smaller({ plan }: Simulation, options: SimulateOptions): Promise<Simulation | undefined> {
  for (const candidate of simplerThan(plan)) {
    const run = await simulate(candidate, options);
    if (run.violations.length > 0) return run;
  }
  return undefined;
}

function* simplerThan(plan: Plan): Generator<Plan> {
  for (const faults of withoutEach(plan.faults)) yield { ...plan, faults };
  if (plan.messages.length > 1)
    for (const messages of withoutEach(plan.messages)) yield { ...plan, messages };
  for (const strayWakeUpsAtMs of withoutEach(plan.strayWakeUpsAtMs)) yield { ...plan, strayWakeUpsAtMs };
  for (const [at, message] of plan.messages.entries()) {
    if (message.againAtMs.length > 0)
      yield { ...plan, messages: plan.messages.with(at, { ...message, againAtMs: [] }) };
  }
  for (const outages of withoutEach(plan.outages ?? [])) yield { ...plan, outages };
  if (plan.listsLate) yield { ...plan, listsLate: false };
  const { poison, ...harmless } = plan;
  if (poison !== undefined) yield harmless;
  if (plan.workers > 1) yield { ...plan, workers: plan.workers - 1 };
  if (plan.chunks > 1) yield { ...plan, chunks: 1 };
  if (plan.callbacks) yield { ...plan, callbacks: false };
  if (plan.batchMessagesMax < 500) yield { ...plan, batchMessagesMax: 500 };
  if (plan.whileBusy !== "queue") yield { ...plan, whileBusy: "queue" };
}

function* withoutEach<T>(list: readonly T[]): Generator<T[]> {
  for (let at = 0; at < list.length; at += 1) yield list.toSpliced(at, 1);
}
