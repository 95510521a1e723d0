/**
 * The longest pause that a header may ask for. After a longer one Lull asks again: a broken proxy must not
 * silence a conversation for a day.
 */
export const RETRY_AFTER_HEADER_MS_MAX = 3_600_000;

/** `Retry-After` is a number of seconds or a date, compared with `nowMs`. Undefined if it says nothing. */
export function retryAfterMs(
  value: string | null,
  nowMs: number,
  maxMs = RETRY_AFTER_HEADER_MS_MAX,
): number | undefined {
  if (value === null || value.trim() === "") return undefined;
  const seconds = Number(value);
  if (seconds < 0) return undefined;
  const waitMs = Number.isNaN(seconds) ? Date.parse(value) - nowMs : seconds * 1_000;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, Math.ceil(waitMs)), maxMs);
}
