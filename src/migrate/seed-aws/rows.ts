import type { SeedItem } from "../../ports/seed-tables.ts";
import { isObject } from "../../schema/is-object.ts";
import { seedInstant } from "../seed-time.ts";

/** An unusable row, and why it is. The reason never quotes what a customer wrote. */
export interface Junk {
  readonly kind: "junk";
  readonly why: string;
}

/** A staged message of the original system: from `conversations-stage`, or from seed 001's `Holding`. */
export interface SeedMessage {
  readonly kind: "message";
  readonly conversationId: string;
  /** The customer, as the conversation's row is keyed. */
  readonly primaryChannel: string | undefined;
  readonly messageSid: string;
  readonly receivedAtMs: number | undefined;
  /** What else the provider sent, by the provider's own names. */
  readonly form: Readonly<Record<string, string>>;
}

export interface SeedLock {
  readonly kind: "lock";
  readonly conversationId: string;
  readonly expiresAtMs: number;
}

/**
 * A row holds the message itself, or the whole `context_object` beside its `target_queue_url`, or what came
 * as `raw_message_data`: an object, its JSON, a form, or the gateway's event around one of these.
 */
export function seedMessage(row: SeedItem): SeedMessage | Junk {
  const form = { ...rawIn(row.raw_message_data), ...formOf(objectIn(row.context_object)), ...formOf(row) };
  const conversationId = textIn(row.conversation_id);
  if (conversationId === undefined) return junk("conversation_id is no text");
  const messageSid = form.MessageSid;
  if (messageSid === undefined) return junk("message_sid is no text");
  if (!isBody(row) || !isBody(objectIn(row.context_object))) return junk("body is no text");
  const context = objectIn(row.context_object);
  return {
    kind: "message",
    conversationId,
    primaryChannel: textIn(row.primary_channel) ?? textIn(context.primary_channel) ?? form.From,
    messageSid,
    receivedAtMs: seedInstant(row.received_at ?? arrivalIn(row) ?? context.received_at),
    form,
  };
}

/** A sort key has to be unique: something may follow the time. */
function arrivalIn({ arrival_timestamp: at }: SeedItem): unknown {
  return typeof at === "string" ? at.split("#")[0] : at;
}

/** `{ conversation_id, expires_at }`, in seconds. */
export function seedLock(row: SeedItem): SeedLock | Junk {
  const conversationId = textIn(row.conversation_id);
  if (conversationId === undefined) return junk("conversation_id is no text");
  const expiresAtMs = seedInstant(row.expires_at);
  if (expiresAtMs === undefined) return junk("expires_at is no time");
  return { kind: "lock", conversationId, expiresAtMs };
}

/** Empty is a message, too: media come without a text. */
function isBody({ body }: Readonly<Record<string, unknown>>): boolean {
  return body === undefined || body === null || typeof body === "string";
}

/** Names that say what a request is: a row that names its state is no status callback. */
const NOT_OF_MESSAGES = new Set(["MessageStatus", "SmsSid", "SmsMessageSid"]);

/** `message_sid` is `MessageSid` to the provider, `media_url0` is `MediaUrl0`. */
function formOf(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(fields).flatMap(([name, value]) => {
    const theirs = name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const text = typeof value === "number" ? String(value) : value;
    return typeof text === "string" && text !== "" && !NOT_OF_MESSAGES.has(theirs) ? [[theirs, text]] : [];
  });
  return Object.fromEntries(entries);
}

function rawIn(value: unknown): Record<string, string> {
  if (typeof value === "string") {
    const object = objectIn(value);
    return Object.keys(object).length > 0 ? rawIn(object) : Object.fromEntries(new URLSearchParams(value));
  }
  if (!isObject(value)) return {};
  const { body } = value;
  if (typeof body !== "string" || value.message_sid !== undefined) return formOf(value);
  const text = value.isBase64Encoded === true ? Buffer.from(body, "base64").toString() : body;
  return rawIn(text);
}

function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "string") return isObject(value) ? value : {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function junk(why: string): Junk {
  return { kind: "junk", why };
}
