import type { LetterContent } from "../model/dead-letter.ts";
import type { DeadLettered, TakeOutcome, TakeResult } from "../model/take.ts";

/** The last of several outcomes, with the dead letters before it, so that the caller can report them. */
export function takeResult(outcomes: readonly TakeOutcome[]): TakeResult {
  const last = outcomes.at(-1) ?? { kind: "nothing" };
  const deadLettered = outcomes
    .slice(0, -1)
    .filter((outcome): outcome is DeadLettered => outcome.kind === "dead-lettered");
  return deadLettered.length === 0 ? last : { ...last, deadLettered };
}

/** What a look tells of a dead letter that it made. */
export function deadLetteredAs(
  deadLetterId: string,
  conversationId: string,
  { turnId, attempts, reason }: Pick<LetterContent, "turnId" | "attempts" | "reason">,
): DeadLettered {
  return {
    kind: "dead-lettered",
    deadLetterId,
    conversationId,
    ...(turnId !== undefined && { turnId }),
    attempts,
    reason,
  };
}
