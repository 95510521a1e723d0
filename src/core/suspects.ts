import type { Work } from "./state.ts";

/** How much smaller the company of a suspect gets with each attempt. */
const SHARE = 4;

/**
 * How many suspects may run side by side in one process when one of them is at this attempt.
 *
 * Whoever dies takes every turn of its process along, and each of them is counted. A suspect is a turn of which an attempt ended
 * like that: one of them may be at fault, the others only stood beside it. Together again and again, all would run out of attempts with
 * the one that kills. So the later the attempt, the fewer stand together, and in the last one each is alone; after a single accident
 * everything goes on at once.
 */
export function suspectsMax(attempt: number, attemptsMax: number): number {
  return SHARE ** Math.max(0, attemptsMax - attempt);
}

/** Whether an attempt before this one ended with its process. One that ended in any other way left an error behind, or was not counted. */
export function isSuspect({ attempts, errors = 0 }: Pick<Work, "attempts" | "errors">): boolean {
  return attempts - 1 > errors;
}

/** Whether a suspect may begin beside those that run, whose attempts are given. */
export function mayJoin(attempt: number, running: readonly number[], attemptsMax: number): boolean {
  const latest = Math.max(attempt, ...running);
  return running.length < suspectsMax(latest, attemptsMax);
}

/**
 * Whoever continues a draft asks nobody. But beyond its attempts it was taken only to find out what was sent: one more death beside somebody
 * else would end that.
 */
export function standsApart(
  work: Work,
  what: "batch" | "outbound" | "draft",
  { attemptsMax }: { readonly attemptsMax: number },
): boolean {
  return work.attempts > attemptsMax || (what === "batch" && isSuspect(work));
}
