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

/**
 * What the headers of an answer ask for, by the second or the millisecond. A date is compared with the clock
 * of the server that wrote it; `nowMs` is for an answer without one.
 */
export function retryAfterIn(
  header: (name: string) => string | null,
  { nowMs = Number.NaN, maxMs }: { readonly nowMs?: number; readonly maxMs?: number } = {},
): number | undefined {
  const inMs = header("retry-after-ms");
  const given = inMs === null ? header("retry-after") : String(Number(inMs) / 1_000);
  const theirNowMs = Date.parse(header("date") ?? "");
  return retryAfterMs(given, Number.isNaN(theirNowMs) ? nowMs : theirNowMs, maxMs);
}
