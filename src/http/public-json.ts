import type { WindowPolicy } from "../model/window.ts";

/** The user's own data and the provider's: carried as they are, names included. */
const VERBATIM = new Set(["attributes", "fields"]);

/**
 * The one place where our shapes become the public ones: `snake_case`, instants as ISO 8601 (`dueAtMs` ->
 * `due_at`), windows in seconds. What is undefined is left out.
 */
export function toPublic(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPublic);
  if (value === null || typeof value !== "object") return value;
  if (isWindowPolicy(value)) return publicWindow(value);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([key, each]) => publicEntry(key, each)));
}

export function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}

function publicEntry(key: string, value: unknown): [string, unknown] {
  const instant = /^(?:(.+)A|a)tMs$/.exec(key);
  if (instant && typeof value === "number")
    return [instant[1] ? `${snake(instant[1])}_at` : "at", isoTime(value)];
  return [snake(key), VERBATIM.has(key) ? value : toPublic(value)];
}

function snake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function isWindowPolicy(value: object): value is WindowPolicy {
  return "kind" in value && ("lengthMs" in value || "quietMs" in value);
}

function publicWindow(window: WindowPolicy): unknown {
  if (window.kind === "fixed") return { seconds: window.lengthMs / 1_000 };
  return { quiet_seconds: window.quietMs / 1_000, max_seconds: window.maxMs / 1_000 };
}
