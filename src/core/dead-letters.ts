import type { DeadLettered, TakeOutcome, TakeResult } from "../model/take.ts";

/** The last of several outcomes, with the dead letters before it, so that the caller can report them. */
export function inTheEnd(outcomes: readonly TakeOutcome[]): TakeResult {
  const last = outcomes.at(-1) ?? { kind: "nothing" };
  const deadLettered = outcomes
    .slice(0, -1)
    .filter((outcome): outcome is DeadLettered => outcome.kind === "dead-lettered");
  return deadLettered.length === 0 ? last : { ...last, deadLettered };
}
