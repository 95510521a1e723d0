import type { Clock } from "../ports/clock.ts";

export interface AgeLimit {
  readonly clock: Clock;
  /** What came in longer ago is left, and gets no answer. Absent: all of it is moved. */
  readonly newerThanMs?: number | undefined;
}

export const TOO_OLD = { kind: "foreign", why: "it is older than --newer-than" } as const;

/** One whose time cannot be read may have come just now. */
export function isTooOld({ clock, newerThanMs }: AgeLimit, atMs: number | undefined): boolean {
  return newerThanMs !== undefined && atMs !== undefined && clock.nowMs() - atMs > newerThanMs;
}

/** Of what would be moved: what came in so long ago that its customer hardly waits for an answer any more. */
export interface OldMessages {
  count: number;
  oldestAtMs?: number;
}

/** WhatsApp lets no free reply out after a day. */
const OLD_MS = 24 * 3_600_000;

export function countOld(old: OldMessages, { clock }: AgeLimit, atMs: number | undefined): void {
  if (atMs === undefined || clock.nowMs() - atMs <= OLD_MS) return;
  old.count += 1;
  old.oldestAtMs = Math.min(atMs, old.oldestAtMs ?? atMs);
}
