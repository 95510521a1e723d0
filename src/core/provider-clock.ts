/** From when on something that the provider lists may be what we look for, on the provider's own clock. */
export interface Since {
  /** From here on it is. */
  readonly certainAtMs: number;
  /** Between this and that nobody can tell. The same moment, except where our clock is behind the provider's. */
  readonly possibleAtMs: number;
}

/** Why an equal message that lies in between tells nothing. */
export const CLOCK_IS_BEHIND =
  "the same words were sent before, and our clock is behind the provider's: set it";

/**
 * What `notBeforeAtMs`, a moment on our clock, is on the clock of the provider whose answer carries `date`. Without it a clock of ours that
 * is wrong would not find what it sent, and send it again, or take an older message of the same words for it.
 *
 * The difference is the one of now. If our clock is behind, it may have been right when the moment was written down and been set back since:
 * then what lies in between is neither it nor somebody else's. A moment that lies ahead of us says so itself, and is taken as it is.
 * A `Date` has whole seconds and is some time under way, which puts the moment a little earlier, never later.
 */
export function sinceOnTheirClock(notBeforeAtMs: number, date: string | null, nowMs: number): Since {
  const theirNowMs = Date.parse(date ?? "");
  const aheadMs = Number.isNaN(theirNowMs) || notBeforeAtMs > nowMs ? 0 : nowMs - theirNowMs;
  const shiftedAtMs = wholeSecond(notBeforeAtMs - aheadMs);
  return { certainAtMs: shiftedAtMs, possibleAtMs: Math.min(shiftedAtMs, wholeSecond(notBeforeAtMs)) };
}

/** Lists often have whole seconds: what was sent in the same one must not look older than its sending. */
function wholeSecond(atMs: number): number {
  return Math.floor(atMs / 1_000) * 1_000;
}
