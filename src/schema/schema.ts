import type { UrlRule } from "./plain-url.ts";

const TARGET: unique symbol = Symbol("target");
const RULE: unique symbol = Symbol("rule");

/**
 * For what people and programs write, where words matter more than microseconds; rows of a store have
 * `shape.ts`, which is three to five times as fast.
 *
 * What a value has to be: types, checks, words and the OpenAPI document follow from the same object. It is
 * the part of JSON Schema that we use, as it is published, plus types that only a configuration can hold.
 */
export type Schema<T = unknown> = Keywords & {
  readonly description?: string;
  /** For the compiler only, never present at run time: what `Infer` gives. */
  readonly "~type"?: T;
};

type Keywords =
  | TextSchema
  | NumberSchema
  | { readonly type: "boolean" }
  | { readonly type: "array"; readonly items: Schema }
  | ObjectKeywords
  /** One of these; without any, everything fits. */
  | { readonly type?: never; readonly anyOf?: readonly Schema[] }
  | Reference
  /** http or https; credentials and query only as far as the rule allows. */
  | ({ readonly type: "url" } & UrlRule)
  | { readonly type: "secret" }
  /** Only a module can hold it: a function, or an object with this method. */
  | { readonly type: "function"; readonly method?: string };

export interface TextSchema {
  readonly type: "string";
  readonly enum?: readonly string[];
  /** Counted without the blanks around the text; `pattern` says the same to other readers of the document. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

export interface NumberSchema {
  readonly type: "integer" | "number";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

export interface Reference {
  readonly type?: never;
  readonly $ref: string;
  readonly [TARGET]: Schema;
}

interface ObjectKeywords {
  readonly type: "object";
  /** Absent: any names. */
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** False if there are properties; otherwise what each value has to be. */
  readonly additionalProperties?: false | Schema;
  readonly [RULE]?: Rule<unknown>;
}

export type ObjectSchema<T = unknown> = ObjectKeywords & {
  readonly description?: string;
  readonly "~type"?: T;
};

/**
 * What the properties of an object, each of which fits, have to be to each other: undefined if they are, else
 * what is wrong with what is at `where`. `called` says what the author of the value calls a property.
 */
export type Rule<T> = (given: T, called: (key: string) => string, where: string) => string | undefined;

/** The type of what a schema describes. */
export type Infer<S extends Schema | Optional> =
  S extends Optional<infer T> ? T : S extends { readonly "~type"?: infer T } ? T : never;

export interface Optional<T = unknown> {
  readonly optional: Schema<T>;
}

type Properties = Readonly<Record<string, Schema | Optional>>;
type Flat<T> = { readonly [K in keyof T]: T[K] };
type Fields<P extends Properties> = Flat<
  { [K in keyof P as P[K] extends Optional ? never : K]: Infer<P[K]> } & {
    [K in keyof P as P[K] extends Optional ? K : never]?: Infer<P[K]>;
  }
>;

export function optional<T>(schema: Schema<T>): Optional<T> {
  return { optional: schema };
}

/** An object with these properties and no others: a misspelt one is reported, not ignored. */
export function object<const P extends Properties>(
  properties: P,
  description?: string,
): ObjectSchema<Fields<P>> {
  const entries = Object.entries(properties);
  const required = entries.flatMap(([key, each]) => ("optional" in each ? [] : [key]));
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([key, each]) => [key, "optional" in each ? each.optional : each]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...noted(description),
  };
}

/** The same, with every property optional. */
export function options<const P extends Readonly<Record<string, Schema>>>(
  properties: P,
  description?: string,
): ObjectSchema<{ readonly [K in keyof P]?: Infer<P[K]> }> {
  return { type: "object", properties, additionalProperties: false, ...noted(description) };
}

/** The same object, except for these properties: another schema, or null for none. */
export function adapted<T, const C extends Readonly<Record<string, Schema | Optional | null>>>(
  schema: ObjectSchema<T>,
  changes: C,
): ObjectSchema<Flat<Omit<T, keyof C> & Fields<Kept<C>>>> {
  const { properties = {}, required = [], ...rest } = schema;
  const given = Object.entries(properties).map(([key, each]) => [
    key,
    required.includes(key) ? each : optional(each),
  ]);
  const kept = Object.entries({ ...Object.fromEntries(given), ...changes }).filter(([, each]) => each);
  return { ...object(Object.fromEntries(kept) as Properties), ...rest } as ObjectSchema<never>;
}

type Kept<C> = { readonly [K in keyof C as C[K] extends null ? never : K]: NonNullable<C[K]> };

export function ruled<T>(schema: ObjectSchema<T>, rule: Rule<T>): ObjectSchema<T> {
  return { ...schema, [RULE]: rule as Rule<unknown> };
}

export function ruleOf(schema: ObjectSchema): Rule<unknown> | undefined {
  return schema[RULE];
}

/** An object whose properties, where they are there, are these; others are let be. */
export function open(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): ObjectSchema<Readonly<Record<string, unknown>>> {
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}

export function anything(description?: string): Schema<Readonly<Record<string, unknown>>> {
  return { type: "object", ...noted(description) };
}

/** Values of one kind under any name. */
export function record<T>(values: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return { type: "object", additionalProperties: values };
}

export function text(description?: string): Schema<string> {
  return { type: "string", ...noted(description) };
}

export function someText(description?: string, maxLength?: number): Schema<string> {
  const most = maxLength === undefined ? {} : { maxLength };
  return { type: "string", minLength: 1, ...most, pattern: "\\S", ...noted(description) };
}

/** Characters of a name that comes from outside: a sender, an address, an id of another system. */
export const NAME_LENGTH_MAX = 1_000;

/** A name from outside: of a person, a channel, or an id of another system. */
export function name(description?: string): Schema<string> {
  return someText(description, NAME_LENGTH_MAX);
}

/** A time as other systems read it. */
export function time(description?: string): Schema<string> {
  return { type: "string", format: "date-time", ...noted(description) };
}

/** A time as we keep it, in ms. Its name ends in `AtMs`. */
export function instant(description?: string): Schema<number> {
  return { type: "number", ...noted(description) };
}

export function oneOf<const T extends readonly string[]>(...values: T): Schema<T[number]> {
  return { type: "string", enum: values };
}

export function flag(description?: string): Schema<boolean> {
  return { type: "boolean", ...noted(description) };
}

export interface Range {
  readonly minimum?: number;
  readonly maximum?: number;
}

export function number(range: Range, description?: string): NumberSchema & Schema<number> {
  return { type: "number", ...range, ...noted(description) };
}

export function whole(range: Range, description?: string): NumberSchema & Schema<number> {
  return { type: "integer", ...range, ...noted(description) };
}

export function list<T>(items: Schema<T>, description?: string): Schema<readonly T[]> {
  return { type: "array", items, ...noted(description) };
}

export function either<const S extends readonly Schema[]>(...anyOf: S): Schema<Infer<S[number]>> {
  return { anyOf };
}

/** A schema that the document names once and refers to everywhere else. */
export function component<T>(name: string, schema: Schema<T>): Reference & Schema<T> {
  return { $ref: `#/components/schemas/${name}`, [TARGET]: schema };
}

export function targetOf(reference: Reference): Schema {
  return reference[TARGET];
}

/** Every component that the value refers to, directly or through another component, by name. */
export function componentsIn(value: unknown, found: Record<string, Schema> = {}): Record<string, Schema> {
  if (typeof value !== "object" || value === null) return found;
  const { $ref, [TARGET]: target } = value as Partial<Reference>;
  const name = $ref?.split("/").at(-1);
  if (name !== undefined && target !== undefined && found[name] !== target) {
    found[name] = target;
    componentsIn(target, found);
  }
  for (const each of Object.values(value)) componentsIn(each, found);
  return found;
}

function noted(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description };
}
