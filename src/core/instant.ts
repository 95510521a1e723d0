/** The last millisecond, before and after 1970, that can be written as a date. */
export const AT_MS_MAX = 8.64e15;

export function isoOf(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** A number from outside may be any number. One that is no date can be stored, but not shown. */
export function isInstant(atMs: number): boolean {
  return Math.abs(atMs) <= AT_MS_MAX;
}
