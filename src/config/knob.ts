import { ConfigError } from "../errors.ts";
import { LIMITS, type Limit, type LimitName, UNITS } from "../model/limits.ts";
import type { SecretReference } from "../ports/secrets.ts";
import { type Aliases, aliasesInText } from "../schema/aliases.ts";
import { problemsIn, TO_PEOPLE } from "../schema/problems.ts";
import type { Schema } from "../schema/schema.ts";
import { spanMs } from "../schema/span.ts";

export type Value = string | number | boolean | SecretReference | Aliases;

/** One thing that can be set: in the file under `key`, in the environment, by a flag. */
export interface Knob {
  /** Its path in the configuration file, and its name in `lull config`. */
  readonly key: string;
  readonly env?: string;
  readonly flag?: string;
  readonly kind: Schema;
  readonly default?: Value;
  /** In Markdown, as it stands in the docs; the command line leaves the marks out. */
  readonly help: string;
  /** What the docs say after that. */
  readonly more?: string;
  /** What the docs say instead of a default, where there is no value for it. */
  readonly otherwise?: string;
  /** The limit that it sets, where it is one. */
  readonly limit?: LimitName;
  /** A module may bring an object with this function instead, which says its name. */
  readonly orCode?: string;
  /** Known from the environment only: in a file it belongs to a channel or a responder. */
  readonly notInFile?: true;
}

/** What its number counts. Undefined for what is no number, or counts itself. */
export function unitOf({ key, limit }: Pick<Knob, "key" | "limit">): Limit["unit"] | undefined {
  if (limit !== undefined) return LIMITS[limit].unit;
  return /seconds$/i.test(key) ? "seconds" : undefined;
}

/** Reads a value from text: the environment or a flag. `where` is what the person typed it under. */
export function valueFromText(knob: Knob, text: string, where: string): Value {
  const { kind } = knob;
  const trimmed = text.trim();
  if (kind.type === "number" || kind.type === "integer")
    return checked(kind, numberIn(trimmed, unitOf(knob)), where, text);
  if (kind.type === "boolean") return checked(kind, YES_NO_WORDS[trimmed.toLowerCase()], where, text);
  // What a file says as an object is written as pairs, and so far only aliases are.
  if (kind.type === "object") return checked(kind, aliasesIn(trimmed, where), where, text);
  return checked(kind, kind.type === "secret" ? text : trimmed, where, text);
}

/** A time may say its unit, whichever the setting's own is: `90s`, `2m`. */
function numberIn(text: string, unit: Limit["unit"] | undefined): number {
  if (text === "") return Number.NaN;
  const inMs = unit === undefined || UNITS[unit] === 1 ? undefined : spanMs(text);
  return inMs === undefined ? Number(text) : inMs / UNITS[unit!];
}

function aliasesIn(text: string, where: string): Aliases {
  const read = aliasesInText(text);
  if (typeof read === "string") throw new ConfigError(`${where} ${read}`);
  return read;
}

const YES_NO_WORDS: Record<string, boolean> = {
  "1": true,
  true: true,
  yes: true,
  on: true,
  "0": false,
  false: false,
  no: false,
  off: false,
};

/** Takes a value from a file, where it already has a type. */
export function valueFromFile(kind: Schema, value: unknown, where: string): Value {
  return checked(kind, value, where, value);
}

/** People are shown what they gave, and not what was read from it. */
function checked(kind: Schema, value: unknown, where: string, given: unknown): Value {
  const manner = { ...TO_PEOPLE, told: () => TO_PEOPLE.told(given, kind) };
  const [problem] = problemsIn(value, kind, where, manner);
  if (problem !== undefined) throw new ConfigError(problem);
  return value as Value;
}
