import type { Feed, FeedTurn, FeedUnanswered } from "../../src/http/feed-shape.ts";

/** How a turn that was no trouble ended, in the words of a newcomer. */
const GOOD: Readonly<Record<string, string>> = {
  replied: "answered once",
  "no-reply": "no answer was needed",
  queued: "handed on",
  "handed-off": "handed to a person",
};

export function isGood({ outcome }: FeedTurn): boolean {
  return Object.hasOwn(GOOD, outcome);
}

export function outcomeWords({ outcome }: FeedTurn): string {
  if (outcome === "unknown") return "answer sent";
  if (outcome.startsWith("refused")) return "not accepted";
  return GOOD[outcome] ?? "ended without an answer";
}

/** The visitor's latest messages failed for good, and nothing has been answered since. */
export function unansweredNow({
  unanswered,
  turns,
}: Pick<Feed, "unanswered" | "turns">): FeedUnanswered | undefined {
  // One without a message was to say something unasked.
  const last = unanswered.findLast(({ message_ids }) => message_ids.length > 0);
  if (!last) return undefined;
  return turns.some((turn) => isGood(turn) && isLater(turn, last.at)) ? undefined : last;
}

/** The latest answer may not have arrived, and no other has come since. */
export function isUnsureNow({ unknown, turns }: Pick<Feed, "unknown" | "turns">): boolean {
  const last = unknown.at(-1);
  if (!last) return false;
  return !turns.some((turn) => turn.outcome === "replied" && isLater(turn, last.at));
}

function isLater({ committed_at }: FeedTurn, at: string): boolean {
  return Date.parse(committed_at) > Date.parse(at);
}
