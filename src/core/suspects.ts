import { countedOf, type Tries, type Work } from "./state.ts";

/** By what factor the group of suspects that may run together shrinks with each attempt. */
const SHARE = 4;

/**
 * How many suspects may run side by side in one process when one of them is at this counted attempt.
 *
 * A process that dies takes all its turns along, and each of them is counted. A suspect is a turn with an
 * attempt that ended like that: one suspect may be at fault, the others only ran beside it. Run together
 * again and again, all of them would run out of attempts along with the one that kills. So the later the
 * attempt, the fewer run together, and in the last attempt each runs alone. After a single accident
 * everything goes on at once.
 */
export function suspectsMax(counted: number, attemptsMax: number): number {
  return SHARE ** Math.max(0, attemptsMax - counted);
}

/** Whether an earlier attempt ended with its process. Any other left an error, or was not counted. */
export function isSuspect(tries: Pick<Tries, "attempts" | "outages" | "errors">): boolean {
  return countedOf(tries) - 1 > (tries.errors ?? 0);
}

/** Whether a suspect may begin beside the running ones, whose counted attempts are given. */
export function mayJoin(counted: number, running: readonly number[], attemptsMax: number): boolean {
  const latest = Math.max(counted, ...running);
  return running.length < suspectsMax(latest, attemptsMax);
}

/**
 * A turn that continues a draft asks no responder, so it need not stand apart. But beyond its attempts it was
 * taken only to find out what was sent: one more death, caused by a turn beside it, would end that.
 */
export function standsApart(
  work: Work,
  what: "batch" | "outbound" | "draft",
  { attemptsMax }: { readonly attemptsMax: number },
): boolean {
  return countedOf(work) > attemptsMax || (what === "batch" && isSuspect(work));
}
