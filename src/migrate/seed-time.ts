import { instantInText, isInstant } from "../core/instant.ts";

/** Whole seconds are still smaller than this in the year 5138; milliseconds passed it in 1973. */
const SECONDS_MAX = 100_000_000_000;

/**
 * An instant as the seeds' programs write it: text, often without a zone (both run on UTC), such as SQLite's
 * `2026-01-01 10:00:00`, or a number of seconds or milliseconds, which may be a text as well.
 */
export function seedInstant(value: unknown): number | undefined {
  const atMs = typeof value === "string" ? fromText(value.trim()) : fromNumber(value);
  return atMs !== undefined && atMs > 0 && isInstant(atMs) ? atMs : undefined;
}

function fromNumber(value: unknown): number | undefined {
  const number = typeof value === "bigint" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
  return Math.round(number < SECONDS_MAX ? number * 1_000 : number);
}

function fromText(text: string): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) return fromNumber(Number(text));
  return instantInText(text);
}
