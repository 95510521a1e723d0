import type { WindowPolicy } from "../core/window.ts";

/** The user's own data and the provider's: carried as they are, names included. */
const VERBATIM = new Set(["attributes", "fields"]);

type Snake<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : S;

type PublicKey<K> = K extends "atMs"
  ? "at"
  : K extends `${infer Start}AtMs`
    ? `${Snake<Start>}_at`
    : K extends string
      ? Snake<K>
      : never;

interface PublicWindow {
  readonly seconds?: number;
  readonly quiet_seconds?: number;
  readonly max_seconds?: number;
}

/** What `toPublic` makes of a shape of ours. */
export type Public<T> = T extends WindowPolicy
  ? PublicWindow
  : T extends readonly (infer Item)[]
    ? readonly Public<Item>[]
    : T extends object
      ? {
          readonly [K in keyof T as PublicKey<K>]: K extends "attributes" | "fields"
            ? T[K]
            : K extends `${string}tMs`
              ? string
              : Public<T[K]>;
        }
      : T;

/**
 * The one place where our shapes become the public ones: `snake_case`, instants as ISO 8601 (`dueAtMs` -> `due_at`),
 * windows in seconds. What is undefined is left out.
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
