const UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
];

/** `3 min ago`, `in 12 s`, `now`: the nearest whole unit, which is what a person wants to know. */
export function relativeTime(atMs: number, nowMs: number): string {
  const awayMs = atMs - nowMs;
  const size = duration(Math.abs(awayMs));
  if (size === undefined) return "now";
  return awayMs > 0 ? `in ${size}` : `${size} ago`;
}

function duration(ms: number): string | undefined {
  const unit = UNITS.find(([, unitMs]) => ms >= unitMs);
  return unit && `${Math.floor(ms / unit[1])} ${unit[0]}`;
}

const SPAN = /^(\d+(?:\.\d+)?)\s*(s|min|m|h|d|w)$/;
const SPAN_MS: Record<string, number> = {
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const ISO = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** A moment in the past, as `2h`, `30m`, `1d` or an ISO date or time. Undefined when it is neither. */
export function parseSince(text: string, nowMs: number): number | undefined {
  const span = SPAN.exec(text.trim());
  if (span) return nowMs - Number(span[1]) * SPAN_MS[span[2]!]!;
  // `Date.parse` alone takes "10" for October 2001, and would fetch years.
  const day = ISO.exec(text.trim())?.[1];
  return day !== undefined && isDay(day) ? timeOf(text) : undefined;
}

/** `Date.parse` takes the 31st of February for the 3rd of March. */
function isDay(day: string): boolean {
  const atMs = timeOf(day);
  return atMs !== undefined && new Date(atMs).toISOString().startsWith(day);
}

function timeOf(text: string): number | undefined {
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : atMs;
}
