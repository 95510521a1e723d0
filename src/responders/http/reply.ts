import { JSON_REPLY, knownIn, usageOf } from "../../core/reply.ts";
import type { FullReply, Reply } from "../../model/reply.ts";
import { isObject } from "../../schema/is-object.ts";
import { problemsIn, TO_PROGRAMS } from "../../schema/problems.ts";
import { type Infer, list, type Schema, text } from "../../schema/schema.ts";
import { unreadable } from "./failure.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a reply as any language writes it: a string, a list, null, or an object in camelCase or snake_case.
 */
export function replyFrom(json: unknown): Reply {
  if (json === null || typeof json === "string") return json;
  if (Array.isArray(json)) return checked(json, list(text()), "the list");
  if (!isObject(json)) throw unreadable("a reply is a string, a list of strings, an object or null");
  return fullReply(json);
}

const KNOWN = new Set(Object.keys(JSON_REPLY.properties!).flatMap((key) => [key, inSnakeCase(key)]));

/**
 * Known fields of the wrong type are not guessed at, because a customer would read the guess. Unknown ones
 * are ignored.
 */
function fullReply(fields: Fields): FullReply {
  const names = Object.keys(fields);
  // `{ "reply": "hi" }` would otherwise be silence without a reason.
  if (names.length > 0 && !names.some((name) => KNOWN.has(name))) {
    throw unreadable("it has none of the fields of a reply, such as text");
  }
  const given = knownIn(fields, JSON_REPLY, (each, key) => each[key] ?? each[inSnakeCase(key)]);
  const { messages, text = messages, usage, ...rest } = checked(given, JSON_REPLY);
  const { laterSeconds = 1 } = rest;
  if (laterSeconds <= 0) throw unreadable("laterSeconds must be more than 0");
  return { ...rest, ...(text !== undefined && { text }), ...(usage && { usage: usageOf(usage) }) };
}

function checked<S extends Schema>(value: unknown, schema: S, where = ""): Infer<S> {
  const [problem] = problemsIn(value, schema, where, TO_PROGRAMS);
  if (problem !== undefined) throw unreadable(problem);
  return value as Infer<S>;
}

function inSnakeCase(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
