/** From when on a message in the provider's list may be the one we look for, on the provider's own clock. */
export interface Since {
  /** From this moment on it is ours. */
  readonly certainAtMs: number;
  /** Between `possibleAtMs` and `certainAtMs` it is unknown. They differ if our clock is behind. */
  readonly possibleAtMs: number;
}

/** Why an equal message in between proves nothing. */
export const CLOCK_IS_BEHIND =
  "the same words were sent before, and our clock is behind the provider's: set it";

/** How far back to look if the draft's time is unknown: as far as `draftOnEarlierClock` goes. */
const HOUR = 3_600_000;

/**
 * Converts `notBeforeAtMs`, a moment on our clock, to the clock of the provider whose answer carries `date`.
 * Without this, a wrong clock of ours would not find what it sent and send it again, or take an older message
 * with the same words for it.
 * The difference of the clocks is measured now. If our clock is behind, it may have been right when the
 * moment was written down and been set back since: a message in between may be ours or an older one. If the
 * moment lies ahead of our clock, our clock was set back, and how long ago the moment was is unknown on
 * either clock. A `Date` has whole seconds and takes some time to arrive, which moves the moment a little
 * earlier, never later.
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

/** Lists often have whole seconds: a message must not look older than its sending because of that. */
function wholeSecond(atMs: number): number {
  return Math.floor(atMs / 1_000) * 1_000;
}
