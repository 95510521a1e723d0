import { NAME_LENGTH_MAX, REASON_LENGTH_MAX, WINDOW_MS_MAX } from "../core/defaults.ts";

/** The part of JSON Schema that the API speaks: the same object is checked against and shown in the OpenAPI document. */
export type Schema = { readonly description?: string } & (
  | {
      readonly type: "string";
      readonly enum?: readonly string[];
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly format?: string;
    }
  | {
      readonly type: "integer" | "number";
      readonly minimum?: number;
      readonly maximum?: number;
      readonly default?: number;
    }
  | { readonly type: "boolean" }
  | { readonly type: "array"; readonly items: Schema }
  | ObjectSchema
  | { readonly $ref: string }
);

export interface ObjectSchema {
  readonly type: "object";
  readonly description?: string;
  /** Absent: any object at all. */
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

export type Components = Readonly<Record<string, Schema>>;

/** An object that takes these properties and no others: a misspelt one is told, not ignored. */
export function object(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
  description?: string,
): ObjectSchema {
  return {
    type: "object",
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(description !== undefined && { description }),
  };
}

const noted = (description?: string) => (description === undefined ? {} : { description });

export const text = (description?: string): Schema => ({ type: "string", ...noted(description) });
export const someText = (description?: string): Schema => ({
  type: "string",
  minLength: 1,
  ...noted(description),
});
export const name = (description?: string): Schema => ({
  type: "string",
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  ...noted(description),
});
export const reason = (description: string, minLength = 1): Schema => ({
  type: "string",
  minLength,
  maxLength: REASON_LENGTH_MAX,
  description,
});
export const time = (description?: string): Schema => ({
  type: "string",
  format: "date-time",
  ...noted(description),
});
export const count = (description?: string): Schema => ({
  type: "integer",
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  ...noted(description),
});
export const seconds = (description?: string): Schema => ({
  type: "number",
  minimum: 0,
  maximum: WINDOW_MS_MAX / 1_000,
  ...noted(description),
});
export const flag = (description?: string): Schema => ({ type: "boolean", ...noted(description) });
export const list = (items: Schema, description?: string): Schema => ({
  type: "array",
  items,
  ...noted(description),
});
export const anything = (description?: string): Schema => ({ type: "object", ...noted(description) });
export const oneOf = (...values: string[]): Schema => ({ type: "string", enum: values });
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** What is wrong with a value, in words for the person who sent it. Empty when nothing is. */
export function problemsIn(
  value: unknown,
  schema: Schema,
  where: string,
  components: Components = {},
): string[] {
  if ("$ref" in schema) {
    const target = components[schema.$ref.replace("#/components/schemas/", "")];
    return target
      ? problemsIn(value, target, where, components)
      : [`${where}: unknown schema ${schema.$ref}`];
  }
  switch (schema.type) {
    case "object":
      return objectProblems(value, schema, where, components);
    case "array":
      if (!Array.isArray(value)) return [wrong(where, "a list", value)];
      return value.flatMap((each, index) => problemsIn(each, schema.items, `${where}[${index}]`, components));
    case "string":
      return stringProblems(value, schema, where);
    case "boolean":
      return typeof value === "boolean" ? [] : [wrong(where, "true or false", value)];
    default:
      return numberProblems(value, schema, where);
  }
}

function objectProblems(
  value: unknown,
  schema: ObjectSchema,
  where: string,
  components: Components,
): string[] {
  if (!isObject(value)) return [wrong(where, "an object", value)];
  const { properties } = schema;
  if (!properties) return [];
  const name = (key: string) => (where === "" ? key : `${where}.${key}`);
  const missing = (schema.required ?? []).filter((key) => value[key] === undefined);
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
  const known = Object.keys(properties).join(", ") || "none";
  return [
    ...missing.map((key) => `${name(key)} is missing`),
    ...unknown.map((key) => `${name(key)} is not known here; there are ${known}`),
    ...Object.entries(properties)
      .filter(([key]) => value[key] !== undefined)
      .flatMap(([key, each]) => problemsIn(value[key], each, name(key), components)),
  ];
}

function stringProblems(
  value: unknown,
  schema: Extract<Schema, { type: "string" }>,
  where: string,
): string[] {
  if (typeof value !== "string") return [wrong(where, "a string", value)];
  // Half a character is stored as another one, and two names become the same.
  if (!value.isWellFormed()) return [`${where} is not well-formed Unicode`];
  if (schema.enum && !schema.enum.includes(value))
    return [`${where} must be one of ${schema.enum.join(", ")}`];
  if (value.trim().length < (schema.minLength ?? 0)) return [`${where} must not be empty`];
  const { maxLength = Number.POSITIVE_INFINITY } = schema;
  if (value.length > maxLength) return [`${where} must have ${maxLength} characters at most`];
  return [];
}

function numberProblems(
  value: unknown,
  schema: Extract<Schema, { type: "integer" | "number" }>,
  where: string,
): string[] {
  const { type, minimum = -Infinity, maximum = Infinity } = schema;
  const kind = type === "integer" ? "a whole number" : "a number";
  if (typeof value !== "number" || !Number.isFinite(value)) return [wrong(where, kind, value)];
  if (type === "integer" && !Number.isInteger(value)) return [`${where} must be a whole number`];
  if (value < minimum) return [`${where} must be at least ${minimum}`];
  return value > maximum ? [`${where} must be at most ${maximum}`] : [];
}

export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeperThan(each, levels - 1));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names the type and never the value: it may be what a customer wrote. */
function wrong(where: string, wanted: string, value: unknown): string {
  const given = value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
  return `${where || "the body"} must be ${wanted}, not ${given}`;
}
