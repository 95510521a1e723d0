import type { Burial, TakenInTheEnd, TakeOutcome } from "../model/take.ts";

/** The last of several outcomes, with the dead letters before it: somebody has to hear of them. */
export function inTheEnd(outcomes: readonly TakeOutcome[]): TakenInTheEnd {
  const last = outcomes.at(-1) ?? { kind: "nothing" };
  const buried = outcomes.slice(0, -1).filter((outcome): outcome is Burial => outcome.kind === "buried");
  return buried.length === 0 ? last : { ...last, buried };
}
