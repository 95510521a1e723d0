import {
  component,
  type ObjectSchema,
  type Rule,
  ruled,
  ruleOf,
  type Schema,
  targetOf,
  time,
} from "../schema/schema.ts";
import { namesInstant, publicKey } from "./public-json.ts";

const MADE = new WeakMap<Schema, Schema>();

/**
 * What a schema of ours says, in the API's words: of what `toPublic` makes of our shapes, and of what callers
 * send, which `fromPublic` reads. Made once.
 */
export function publicSchema<S extends Schema>(schema: S): S {
  const made = MADE.get(schema) ?? reworded(translated(schema));
  MADE.set(schema, made);
  return made as S;
}

function translated(schema: Schema): Schema {
  if ("$ref" in schema) {
    const name = schema.$ref.split("/").at(-1)!;
    return component(name, publicSchema(targetOf(schema)));
  }
  if (schema.type === "array") return { ...schema, items: publicSchema(schema.items) };
  if (schema.type === "object" && schema.properties) return publicObject(schema);
  return schema;
}

function publicObject(schema: ObjectSchema): ObjectSchema {
  const { properties = {}, required } = schema;
  const entries = Object.entries(properties).map(([key, each]) => [
    publicKey(key),
    namesInstant(key) ? reworded(time(each.description)) : publicSchema(each),
  ]);
  const made = {
    ...schema,
    properties: Object.fromEntries(entries),
    ...(required && { required: required.map(publicKey) }),
  };
  const rule = ruleOf(schema);
  return rule ? ruled(made, publicRule(rule, schema)) : made;
}

function publicRule(rule: Rule<unknown>, schema: ObjectSchema): Rule<unknown> {
  return (given, called, where) => rule(fromPublic(given, schema), (key) => called(publicKey(key)), where);
}

/** What a caller sent, in our own words. It fits the public schema; the schema here is ours. */
export function fromPublic(value: unknown, schema: Schema): unknown {
  if ("$ref" in schema) return fromPublic(value, targetOf(schema));
  if (schema.type === "array" && Array.isArray(value))
    return value.map((each) => fromPublic(each, schema.items));
  if (schema.type !== "object" || !schema.properties) return value;
  const given = value as Readonly<Record<string, unknown>>;
  const entries = Object.entries(schema.properties).flatMap(([key, each]) => {
    const name = publicKey(key);
    return Object.hasOwn(given, name) ? [[key, fromPublic(given[name], each)]] : [];
  });
  return Object.fromEntries(entries);
}

/** Descriptions name other properties: `` `dueAtMs` `` -> `` `due_at` ``. Codes, in capitals, are none. */
function reworded<S extends Schema>(schema: S): S {
  const { description } = schema;
  if (description === undefined) return schema;
  return {
    ...schema,
    description: description.replaceAll(/`([a-z]\w*)`/g, (_, key) => `\`${publicKey(key)}\``),
  };
}
