import { instantInText, isInstant } from "../../core/instant.ts";
import type { Fields } from "../../wire/json-object.ts";

export function objectIn(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/**
 * WATI writes ids and times sometimes as strings, sometimes as numbers. Blank is absent. Half a surrogate
 * pair, which JSON may hold, fits in no URL.
 */
export function text(value: unknown): string | undefined {
  // Above that, several integers share one JSON number: two messages would be one.
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : undefined;
  return typeof value === "string" && value !== "" ? value.toWellFormed() : undefined;
}

/** The first of the fields that is there. */
export function firstText(fields: Fields, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = text(fields[key]);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** `created` is exact to the millisecond, `timestamp` counts whole seconds. */
export function timeIn(fields: Fields): number | undefined {
  const created = instantInText(text(fields.created) ?? "");
  if (created !== undefined) return created;
  const atMs = Math.round(Number(text(fields.timestamp) ?? Number.NaN) * 1_000);
  return isInstant(atMs) ? atMs : undefined;
}
