import { isoOf } from "../core/instant.ts";
import type { WindowPolicy } from "../model/window.ts";

/** The user's own data and the provider's: carried as they are, names included. */
const VERBATIM = new Set(["attributes", "fields"]);

/**
 * How our shapes become the public ones: `snake_case`, instants as ISO 8601 (`dueAtMs` ->
 * `due_at`), windows in seconds. What is undefined is left out.
 */
export function toPublic(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPublic);
  if (value === null || typeof value !== "object") return value;
  if (isWindowPolicy(value)) return publicWindow(value);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([key, each]) => publicEntry(key, each)));
}

/** What the API calls what we call `key`. */
export function publicKey(key: string): string {
  return key.replace(INSTANT, "$1t").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function namesInstant(key: string): boolean {
  return INSTANT.test(key);
}

const INSTANT = /(A|^a)tMs$/;

function publicEntry(key: string, value: unknown): [string, unknown] {
  if (namesInstant(key) && typeof value === "number") return [publicKey(key), isoOf(value)];
  return [publicKey(key), VERBATIM.has(key) ? value : toPublic(value)];
}

function isWindowPolicy(value: object): value is WindowPolicy {
  return "kind" in value && ("lengthMs" in value || "quietMs" in value);
}

function publicWindow(window: WindowPolicy): unknown {
  if (window.kind === "fixed") return { seconds: window.lengthMs / 1_000 };
  return { quiet_seconds: window.quietMs / 1_000, max_seconds: window.maxMs / 1_000 };
}
