const FIRST_MS = 100;
const LONGEST_MS = 10_000;
/** A worker that lived this long was healthy: its death starts a new count. */
const HEALTHY_MS = 30_000;

/** How often in a row a worker died young, this death included. */
export function deathsInARow(before: number, livedMs: number): number {
  return livedMs >= HEALTHY_MS ? 1 : before + 1;
}

/**
 * How long to wait before it is started again: not at all after an accident, longer and longer for one that
 * dies every time.
 */
export function restartDelayMs(deaths: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (deaths - 1));
}
