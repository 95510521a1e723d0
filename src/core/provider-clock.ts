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

/** How far back it is looked where nobody knows any more when it was: as far as a draft goes back whose clock was set back. */
const HOUR = 3_600_000;

/**
 * What `notBeforeAtMs`, a moment on our clock, is on the clock of the provider whose answer carries `date`. Without it a clock of ours that
 * is wrong would not find what it sent, and send it again, or take an older message of the same words for it.
 *
 * The difference is the one of now. If our clock is behind, it may have been right when the moment was written down and been set back since:
 * then what lies in between is neither it nor somebody else's. A moment that lies ahead of us says so itself: how long ago it was, on either
 * clock, nobody knows. A `Date` has whole seconds and is some time under way, which puts the moment a little earlier, never later.
 */
export function sinceOnTheirClock(notBeforeAtMs: number, date: string | null, nowMs: number): Since {
  const askedAtMs = wholeSecond(notBeforeAtMs);
  const theirNowMs = Date.parse(date ?? "");
  if (Number.isNaN(theirNowMs)) return { certainAtMs: askedAtMs, possibleAtMs: askedAtMs };
  const wasSetBack = notBeforeAtMs > nowMs;
  const certainAtMs = wasSetBack
    ? Math.min(askedAtMs, theirNowMs - HOUR)
    : wholeSecond(notBeforeAtMs - (nowMs - theirNowMs));
  return { certainAtMs, possibleAtMs: Math.min(certainAtMs, askedAtMs) };
}

/** Lists often have whole seconds: what was sent in the same one must not look older than its sending. */
function wholeSecond(atMs: number): number {
  return Math.floor(atMs / 1_000) * 1_000;
}
