import type { Settings } from "../model/settings.ts";

/** How often a store notes for how long it remembers ids. */
const NOTED_MS = 5 * 60_000;
/** 0.1.0 noted nothing, and remembered ids for this long unless more was configured. */
export const UNNOTED_MS = 24 * 3_600_000;

/** By how long ids were kept, in ms: until when that was so, as it was last noted. */
export type Memories = ReadonlyMap<number, number>;

/** True if it was not noted lately that ids are kept as long as the settings say. */
export function isToBeNoted(
  memories: Memories,
  { dedupeMs }: Pick<Settings, "dedupeMs">,
  nowMs: number,
): boolean {
  return Math.abs(nowMs - (memories.get(dedupeMs) ?? Number.NEGATIVE_INFINITY)) >= NOTED_MS;
}

/**
 * Since when every id is known. An id is kept for as long as was configured when it was learnt: of the time
 * in which that was less than now, some is forgotten until all of it lies too far back.
 */
export function knownSinceMs(
  memories: Memories,
  { dedupeMs }: Pick<Settings, "dedupeMs">,
  nowMs: number,
): number {
  // What was learnt since the last note was kept as long.
  const forgotten = [...memories].map(([keptMs, lastAtMs]) =>
    Math.min(lastAtMs + 2 * NOTED_MS, nowMs - keptMs),
  );
  return Math.max(nowMs - dedupeMs, ...forgotten);
}
