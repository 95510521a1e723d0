import { isObject } from "./is-object.ts";
import { isPlainUrl, plainUrlInWords } from "./plain-url.ts";
import {
  type NumberSchema,
  type ObjectSchema,
  ruleOf,
  type Schema,
  type TextSchema,
  targetOf,
} from "./schema.ts";
import { didYouMean, suggest } from "./suggest.ts";

/** How a caller or an operator is told what is wrong. */
export interface Manner {
  readonly text: string;
  readonly yesNo: string;
  /** Whether an object's contents, and the reason, are explained. Programs have the OpenAPI document. */
  readonly explains: boolean;
  /** What may be said about a value that does not fit, if anything. */
  told(value: unknown, schema: Schema): string | undefined;
  /** About a name that is not among the known ones. */
  unknownKey(key: string, known: readonly string[]): string;
}

/** For programs that send JSON. Values are not repeated: they may be what a customer wrote. */
export const TO_PROGRAMS: Manner = {
  text: "a string",
  yesNo: "true or false",
  explains: false,
  told: (value, { type }) => {
    const kind = kindOf(value);
    return kind === (type === "integer" ? "number" : type) ? undefined : kind;
  },
  unknownKey: (_, known) => `is not known here; there are ${known.join(", ") || "none"}`,
};

/** For operators who write a configuration and want to find the value in it. */
export const TO_PEOPLE: Manner = {
  text: "a text",
  yesNo: "yes or no (1 or 0, true or false)",
  explains: true,
  told: (value, schema) => {
    if (value === undefined || mayBeSecret(schema)) return undefined;
    if (typeof value === "string") return toldText(value, schema);
    if (typeof value === "boolean") return String(value);
    // Of objects not even `String` may be asked: they may have a `toString` of their own.
    if (typeof value !== "number") return kindOf(value);
    return isOfNumber(schema) || HARMLESS.test(String(value)) ? String(value) : kindOf(value);
  },
  unknownKey: (key, known) => `is not a known setting${didYouMean(key, known)}`,
};

/** A secret of the wrong shape is still a secret, and objects may hold one. */
function mayBeSecret(schema: Schema): boolean {
  if ("anyOf" in schema) return schema.anyOf?.some(mayBeSecret) ?? true;
  return schema.type === "secret" || schema.type === "object";
}

/** Texts such as `wait` and `10 s`: too short for a provider's key or token, and no phone number. */
const HARMLESS = /^([a-z]{0,8}|[-+]?[\d.,]{1,7} ?[a-z%]{0,3})$/i;

/**
 * A text may be a secret that went into the wrong place, whatever is expected there: only what cannot be one
 * is repeated. Of a URL that is its beginning.
 */
function toldText(text: string, schema: Schema): string | undefined {
  const known = schema.type === "string" ? (schema.enum ?? []) : [];
  if (isHarmless(text, known)) return JSON.stringify(text);
  if (schema.type === "url") return beginningOf(text);
  return schema.type === "array" || schema.type === "function" ? "a text" : undefined;
}

/** Whether a text that is none of the known ones may be repeated: no secret is so short, or so near. */
export function isHarmless(text: string, known: readonly string[]): boolean {
  return HARMLESS.test(text) || suggest(text, known) !== undefined;
}

/** With what may be at fault in it; a path, a query and a password may be secrets. */
function beginningOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const { protocol, host, pathname, username, password, search } = url;
  const user = username === "" && password === "" ? "" : "...@";
  const path = /\/webhooks(\/|$)/i.test(pathname) ? "/webhooks/..." : "";
  return JSON.stringify(`${protocol}//${user}${host}${path}${search === "" ? "" : "?..."}`);
}

function isOfNumber({ type }: Schema): boolean {
  return type === "number" || type === "integer";
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "function" ? "a function" : typeof value;
}

/** What is wrong with a value, in words for its author. Empty if nothing is. */
export function problemsIn(value: unknown, schema: Schema, where: string, manner: Manner): string[] {
  const found: string[] = [];
  look(value, schema, where, { manner, found });
  return found;
}

interface Looking {
  readonly manner: Manner;
  readonly found: string[];
}

function look(value: unknown, schema: Schema, where: string, looking: Looking): void {
  if ("$ref" in schema) look(value, targetOf(schema), where, looking);
  else if (schema.type === "object") lookAtObject(value, schema, where, looking);
  else if (schema.type === "array" && Array.isArray(value))
    for (const [index, each] of value.entries()) look(each, schema.items, `${where}[${index}]`, looking);
  else if (schema.type === "string" && typeof value === "string" && !schema.enum)
    lookAtText(value, schema, where, looking);
  else if (!fits(value, schema)) looking.found.push(mustBe(where, value, schema, looking.manner));
}

/** For values without parts. */
function fits(value: unknown, schema: Schema): boolean {
  switch (schema.type) {
    case "string":
      return typeof value === "string" && (schema.enum?.includes(value) ?? true);
    case "integer":
    case "number":
      return isWithin(value, schema);
    case "boolean":
      return typeof value === "boolean";
    case "function":
      return (
        typeof (schema.method === undefined ? value : isObject(value) && value[schema.method]) === "function"
      );
    case "url":
      return typeof value === "string" && isPlainUrl(value, schema);
    case "secret":
      return typeof value === "string" || isReference(value);
    case undefined:
      if (!("anyOf" in schema) || schema.anyOf === undefined) return true;
      return schema.anyOf.some((each) => problemsIn(value, each, "", TO_PEOPLE).length === 0);
    default:
      return false;
  }
}

function mustBe(where: string, value: unknown, schema: Schema, manner: Manner): string {
  const told = manner.told(value, schema);
  const why = manner.explains && schema.description !== undefined ? `: ${schema.description}` : "";
  const not = told === undefined ? "" : `, not ${told}`;
  return `${where || "the body"} must be ${inWords(schema, manner)}${not}${why}`;
}

function lookAtText(value: string, schema: TextSchema, where: string, { found }: Looking): void {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  // Half a surrogate pair is stored as another character, and two names would become the same.
  if (!value.isWellFormed()) found.push(`${where} is not well-formed Unicode`);
  else if (minLength > 0 && value.trim().length < minLength) found.push(`${where} must not be empty`);
  else if (value.length > maxLength) found.push(`${where} must have ${maxLength} characters at most`);
}

function lookAtObject(value: unknown, schema: ObjectSchema, where: string, looking: Looking): void {
  const { found, manner } = looking;
  if (!isObject(value)) return void found.push(mustBe(where, value, schema, manner));
  const { properties = {}, required = [], additionalProperties: others } = schema;
  const before = found.length;
  const prefix = where === "" ? "" : `${where}.`;
  for (const key of required) if (value[key] === undefined) found.push(`${prefix}${key} is missing`);
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(properties, key)) continue;
    if (others === false) found.push(`${prefix}${key} ${manner.unknownKey(key, Object.keys(properties))}`);
    else if (others !== undefined) look(value[key], others, prefix + key, looking);
  }
  for (const key of Object.keys(properties)) {
    const given = Object.hasOwn(value, key) ? value[key] : undefined;
    if (given !== undefined) look(given, properties[key] as Schema, prefix + key, looking);
  }
  const broken = found.length > before ? undefined : ruleOf(schema)?.(value, (key) => key, where);
  if (broken !== undefined) found.push(broken);
}

function isWithin(value: unknown, { type, minimum = -Infinity, maximum = MOST }: NumberSchema): boolean {
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  return (type === "number" || Number.isInteger(value)) && value >= minimum && value <= maximum;
}

const MOST = Number.MAX_SAFE_INTEGER;

function isReference(value: unknown): boolean {
  if (!isObject(value)) return false;
  const [entry, ...more] = Object.entries(value);
  if (entry === undefined || more.length > 0) return false;
  return ["env", "file", "name"].includes(entry[0]) && typeof entry[1] === "string";
}

/** `a whole number from 1 to 200`. */
export function inWords(schema: Schema, manner: Manner): string {
  switch (schema.type) {
    case "string":
      return schema.enum ? `one of ${schema.enum.join(", ")}` : manner.text;
    case "integer":
    case "number":
      return rangeInWords(schema);
    case "boolean":
      return manner.yesNo;
    case "array":
      return schema.items.type === "string" ? `a list of ${manner.text.replace("a ", "")}s` : "a list";
    case "object":
      return objectInWords(schema, manner);
    case "url":
      return plainUrlInWords(schema);
    case "secret":
      return 'the secret itself or where it is: { "env": "NAME" }, { "file": "PATH" } or { "name": "NAME" }';
    case "function":
      return schema.method === undefined ? "a function" : `an object with a function ${schema.method}`;
    default:
      return eitherInWords(schema, manner);
  }
}

function rangeInWords({ type, minimum, maximum = MOST }: NumberSchema): string {
  const what = type === "integer" ? "a whole number" : "a number";
  if (minimum === undefined) return what;
  return maximum === MOST ? `${what} of at least ${minimum}` : `${what} from ${minimum} to ${maximum}`;
}

function objectInWords({ required, properties }: ObjectSchema, { explains }: Manner): string {
  if (!explains || properties === undefined) return "an object";
  return `an object with ${required?.join(" and ") ?? Object.keys(properties).join(", ")}`;
}

function eitherInWords(schema: Schema, manner: Manner): string {
  if ("$ref" in schema) return inWords(targetOf(schema), manner);
  const { anyOf = [] } = schema as { readonly anyOf?: readonly Schema[] };
  const each = anyOf.map((one) => inWords(one, manner));
  return each.join(each.some((words) => words.includes(" or ")) ? ", or " : " or ");
}
