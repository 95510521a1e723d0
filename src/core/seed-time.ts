import { instantInText, isInstant } from "./instant.ts";

/** Whole seconds are still smaller than this in the year 5138; milliseconds passed it in 1973. */
const SECONDS_MAX = 100_000_000_000;
/** The same between milliseconds and microseconds, and between those and nanoseconds. */
const STEP = 1_000;

/**
 * An instant as the seeds' programs write it: text, often without a zone (both run on UTC), such as SQLite's
 * `2026-01-01 10:00:00`, or a number of seconds or of thousandths, millionths or billionths of one, which may
 * be a text as well.
 */
export function seedInstant(value: unknown): number | undefined {
  const atMs = typeof value === "string" ? fromText(value.trim()) : fromNumber(value);
  return atMs !== undefined && atMs > 0 && isInstant(atMs) ? atMs : undefined;
}

function fromNumber(value: unknown): number | undefined {
  const number = typeof value === "bigint" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
  if (number < SECONDS_MAX) return Math.round(number * 1_000);
  const parts = [1, STEP, STEP * STEP].find((each) => number < SECONDS_MAX * STEP * each);
  return parts && Math.round(number / parts);
}

function fromText(text: string): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) return fromNumber(Number(text));
  return instantInText(text);
}
