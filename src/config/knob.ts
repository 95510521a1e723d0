import {
  isWithin,
  type LimitName,
  type NumberRule,
  ruleInWords,
  SECONDS as SECONDS_RULE,
} from "../core/limits.ts";
import { isPlainUrl, maskUrl, plainUrlInWords, type UrlRule } from "../core/plain-url.ts";
import { ConfigError } from "../errors.ts";
import type { SecretReference } from "../ports/secrets.ts";

export type Value = string | number | boolean | SecretReference;

/** What a value has to look like, whichever way it came in. */
export type Kind =
  | { readonly type: "text" }
  /** http or https; of what opens doors, only what the rule allows. */
  | ({ readonly type: "url" } & UrlRule)
  | { readonly type: "secret" }
  | ({ readonly type: "number" } & NumberRule)
  | { readonly type: "yes-no" }
  | { readonly type: "choice"; readonly of: readonly string[] }
  /** A list of texts; one text will do, unless `list` says otherwise. */
  | { readonly type: "texts"; readonly list?: true }
  /** An object: with these fields, or with values of one kind under any name, or any at all. */
  | { readonly type: "object"; readonly fields?: Readonly<Record<string, Kind>>; readonly values?: Kind }
  /** Only a module can say it. */
  | { readonly type: "function" }
  | { readonly type: "either"; readonly of: readonly Kind[] };

/** One thing that can be set: in the file under `key`, in the environment, by a flag. */
export interface Knob {
  /** Its path in the configuration file, and its name in `lull config`. */
  readonly key: string;
  readonly env?: string;
  readonly flag?: string;
  readonly kind: Kind;
  readonly default?: Value;
  /** In Markdown, as it stands in the docs; the command line leaves the marks out. */
  readonly help: string;
  /** What the docs say after that. */
  readonly more?: string;
  /** What the docs say instead of a default, where there is no value for it. */
  readonly otherwise?: string;
  /** The limit that it sets, where it is one. */
  readonly limit?: LimitName;
  /** A module may bring an object instead, which says its name. */
  readonly orCode?: true;
  /** Known from the environment only: in a file it belongs to a channel or a responder. */
  readonly notInFile?: true;
}

export const TEXT: Kind = { type: "text" };
export const URL_KIND: Kind = { type: "url" };
/** Some services want `?api-version=...`. */
export const ENDPOINT_URL: Kind = { type: "url", query: true };
/** Behind a proxy that asks for a password, providers have to be told it. */
export const PUBLIC_URL: Kind = { type: "url", credentials: true };
export const SECRET: Kind = { type: "secret" };
export const SECONDS: Kind = { type: "number", ...SECONDS_RULE };
export const COUNT: Kind = { type: "number", min: 1, whole: true };
export const COUNT_OR_NONE: Kind = { type: "number", min: 0, whole: true };
/** More processes than any machine has cores for. */
export const WORKERS: Kind = { type: "number", min: 1, max: 256, whole: true };
export const PORT: Kind = { type: "number", min: 0, max: 65_535, whole: true };
export const YES_NO: Kind = { type: "yes-no" };
export const choice = (...of: readonly string[]): Kind => ({ type: "choice", of });

/** Reads a value from text: the environment or a flag. `where` is what the person typed it under. */
export function valueFromText(kind: Kind, text: string, where: string): Value {
  const trimmed = text.trim();
  if (kind.type === "number")
    return checked(kind, trimmed === "" ? Number.NaN : Number(trimmed), where, text);
  if (kind.type === "yes-no") return checked(kind, YES_NO_WORDS[trimmed.toLowerCase()], where, text);
  return checked(kind, kind.type === "secret" ? text : trimmed, where, text);
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
export function valueFromFile(kind: Kind, value: unknown, where: string): Value {
  return checked(kind, value, where, value);
}

function checked(kind: Kind, value: unknown, where: string, given: unknown): Value {
  if (fits(kind, value)) return value as Value;
  throw new ConfigError(
    `${where} must be ${expectation(kind)}${isTelling(kind, given) ? `, not ${shown(kind, given)}` : ""}`,
  );
}

/** A secret of the wrong shape is still a secret, and objects may hold one. */
function isTelling(kind: Kind, given: unknown): boolean {
  return !["secret", "object", "either"].includes(kind.type) && given !== undefined;
}

function shown(kind: Kind, given: unknown): string {
  if (kind.type === "url" && typeof given === "string") return JSON.stringify(maskUrl(given));
  if (Array.isArray(given)) return "a list";
  if (typeof given === "object" && given !== null) return "an object";
  return typeof given === "function" ? "a function" : JSON.stringify(given);
}

function fits(kind: Kind, value: unknown): boolean {
  switch (kind.type) {
    case "text":
      return typeof value === "string";
    case "url":
      return typeof value === "string" && isPlainUrl(value, kind);
    case "secret":
      return typeof value === "string" || isReference(value);
    case "number":
      return isWithin(kind, value);
    case "yes-no":
      return typeof value === "boolean";
    case "choice":
      return kind.of.includes(value as string);
    case "texts":
      return (Array.isArray(value) ? value : kind.list ? [undefined] : [value]).every(
        (each) => typeof each === "string",
      );
    case "object":
      return isObjectOf(kind, value);
    case "function":
      return typeof value === "function";
    case "either":
      return kind.of.some((each) => fits(each, value));
  }
}

function isObjectOf({ fields, values }: Kind & { type: "object" }, value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  if (fields && entries.length !== Object.keys(fields).length) return false;
  return entries.every(([key, each]) => {
    const kind = fields ? (Object.hasOwn(fields, key) ? fields[key] : undefined) : values;
    return kind === undefined ? fields === undefined : fits(kind, each);
  });
}

function isReference(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const [entry, ...more] = Object.entries(value);
  if (entry === undefined || more.length > 0) return false;
  return ["env", "file", "name"].includes(entry[0]) && typeof entry[1] === "string";
}

function expectation(kind: Kind): string {
  switch (kind.type) {
    case "text":
      return "a text";
    case "url":
      return plainUrlInWords(kind);
    case "secret":
      return 'the secret itself or where it is: { "env": "NAME" }, { "file": "PATH" } or { "name": "NAME" }';
    case "number":
      return ruleInWords(kind);
    case "yes-no":
      return "yes or no (1 or 0, true or false)";
    case "choice":
      return `one of ${kind.of.join(", ")}`;
    case "texts":
      return kind.list ? "a list of texts" : "a text or a list of texts";
    case "object":
      if (kind.fields) return `an object with ${Object.keys(kind.fields).join(" and ")}`;
      return kind.values ? `an object whose values are each ${expectation(kind.values)}` : "an object";
    case "function":
      return "a function";
    case "either":
      return kind.of.map(expectation).join(", or ");
  }
}
