import { spanMs } from "../../schema/span.ts";

const UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
];

const DAY_MS = 86_400_000;

/** `3 min ago`, `in 12 s`, `now`: the nearest whole unit, which is what a person wants to know. */
export function relativeTime(atMs: number, nowMs: number): string {
  const awayMs = atMs - nowMs;
  const size = duration(Math.abs(awayMs));
  if (size === undefined) return "now";
  return awayMs > 0 ? `in ${size}` : `${size} ago`;
}

/** `since 12:03 (6 min ago)`, to be compared with other clocks and logs. Older than a day: with its date. */
export function since(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} `;
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  const isOld = Math.abs(nowMs - atMs) >= DAY_MS;
  return `since ${isOld ? day : ""}${time} (${relativeTime(atMs, nowMs)})`;
}

/** `12 s`, `3 min`; undefined below a second. */
export function duration(ms: number): string | undefined {
  const unit = UNITS.find(([, unitMs]) => ms >= unitMs);
  return unit && `${Math.floor(ms / unit[1])} ${unit[0]}`;
}

const ISO = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** A moment in the past, as `2h`, `30m`, `1d` or an ISO date or time. Undefined when it is neither. */
export function parseSince(text: string, nowMs: number): number | undefined {
  const span = spanMs(text);
  if (span !== undefined) return nowMs - span;
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
