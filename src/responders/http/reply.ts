import type { Media } from "../../model/message.ts";
import type { FullReply, Reply, Usage } from "../../model/reply.ts";
import { unreadable } from "./failure.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a reply as any language writes it: a string, a list, null, or an object in camelCase or snake_case.
 */
export function replyFrom(json: unknown): Reply {
  if (json === null || typeof json === "string") return json;
  if (Array.isArray(json)) return texts(json, "the list");
  if (!isFields(json)) throw unreadable("a reply is a string, a list of strings, an object or null");
  return fullReply(json);
}

const KNOWN = [
  "text",
  "messages",
  "media",
  "usage",
  "complete",
  "handOff",
  "hand_off",
  "queued",
  "laterSeconds",
  "later_seconds",
];

/**
 * Known fields of the wrong type are not guessed at, because a customer would read the guess. Unknown ones
 * are ignored.
 */
function fullReply(fields: Fields): FullReply {
  const names = Object.keys(fields);
  // `{ "reply": "hi" }` would otherwise be silence without a reason.
  if (names.length > 0 && !names.some((name) => KNOWN.includes(name))) {
    throw unreadable("it has none of the fields of a reply, such as text");
  }
  const text = textsOf(fields);
  const media = listed(fields.media, "media")?.map((item) => mediaFrom(item));
  const usage = usageFrom(fields.usage);
  const complete = typed<boolean>(fields.complete, "boolean", "complete");
  const handOff = typed<string>(either(fields, "handOff", "hand_off"), "string", "handOff");
  const queued = typed<boolean>(fields.queued, "boolean", "queued");
  const laterSeconds = typed<number>(
    either(fields, "laterSeconds", "later_seconds"),
    "number",
    "laterSeconds",
  );
  if (laterSeconds !== undefined && !(laterSeconds > 0)) throw unreadable("laterSeconds must be more than 0");
  return {
    ...(text !== undefined && { text }),
    ...(media !== undefined && { media }),
    ...(usage !== undefined && { usage }),
    ...(complete !== undefined && { complete }),
    ...(handOff !== undefined && { handOff }),
    ...(queued !== undefined && { queued }),
    ...(laterSeconds !== undefined && { laterSeconds }),
  };
}

/** `text` is one or several; `messages` is another word for several. */
function textsOf(fields: Fields): string | readonly string[] | undefined {
  const several = listed(fields.messages, "messages");
  if (several === undefined) return textOf(fields.text);
  if (fields.text !== undefined && fields.text !== null) throw unreadable("give text or messages, not both");
  return texts(several, "messages");
}

function textOf(given: unknown): string | readonly string[] | undefined {
  return Array.isArray(given) ? texts(given, "text") : typed<string>(given, "string", "text");
}

function texts(list: readonly unknown[], name: string): readonly string[] {
  if (list.every((text) => typeof text === "string")) return list;
  throw unreadable(`${name} must hold strings only`);
}

function mediaFrom(item: unknown): Media {
  const fields = isFields(item) ? item : {};
  const url = typed<string>(fields.url, "string", "media.url");
  const contentType = typed<string>(
    either(fields, "contentType", "content_type"),
    "string",
    "media.contentType",
  );
  const name = typed<string>(fields.name, "string", "media.name");
  if (url === undefined || contentType === undefined) throw unreadable("media needs url and contentType");
  return { url, contentType, ...(name !== undefined && { name }) };
}

function usageFrom(given: unknown): Usage | undefined {
  if (given === undefined || given === null) return undefined;
  if (!isFields(given)) throw unreadable("usage must be an object");
  const promptTokens = tokens(given, "promptTokens", "prompt_tokens");
  const completionTokens = tokens(given, "completionTokens", "completion_tokens");
  const totalTokens = tokens(given, "totalTokens", "total_tokens") || promptTokens + completionTokens;
  return { promptTokens, completionTokens, totalTokens };
}

function tokens(usage: Fields, camel: string, snake: string): number {
  return typed<number>(either(usage, camel, snake), "number", `usage.${camel}`) ?? 0;
}

function listed(value: unknown, name: string): readonly unknown[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value;
  throw unreadable(`${name} must be a list`);
}

function typed<T>(value: unknown, type: "string" | "number" | "boolean", name: string): T | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === type) return value as T;
  throw unreadable(`${name} must be a ${type}`);
}

function either(fields: Fields, camel: string, snake: string): unknown {
  return fields[camel] ?? fields[snake];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
