import { splitText } from "./chunks.ts";
import { REASON_LENGTH_MAX } from "./defaults.ts";

/**
 * A reason for people, short enough to store with what it explains. An error may quote a whole
 * answer, and one that cannot be stored would be tried for ever.
 */
export function shortReason(reason: string): string {
  if (reason.length <= REASON_LENGTH_MAX) return reason;
  // Not the whole reason is split: twice the limit is enough to see where its last character ends.
  const [start = ""] = splitText(reason.slice(0, 2 * REASON_LENGTH_MAX), REASON_LENGTH_MAX - 1);
  return `${start}…`;
}

/** What distinguishes one try from the next, and no reason from another. */
const OF_ONE_TRY = /\brequest [\w.-]+/g;

/** The reason without what is only of this try: so that tries that failed for the same reason are counted. */
export function withoutTry(reason: string): string {
  return reason.replace(OF_ONE_TRY, "request …");
}
