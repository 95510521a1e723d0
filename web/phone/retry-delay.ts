const FIRST_MS = 500;
const DOUBLED_MS_MAX = 8_000;

/** The wait after so many failures: twice as long each time, spread, and never less than was asked for. */
export function retryDelayMs(failures: number, askedMs: number, random: number): number {
  const doubled = Math.min(DOUBLED_MS_MAX, FIRST_MS * 2 ** failures);
  return Math.max(askedMs || 0, doubled * (0.75 + random / 2));
}
