import { isObject } from "../schema/is-object.ts";
import { mediaIn, type SeedMedia } from "./seed-media.ts";
import { seedInstant } from "./seed-time.ts";

type Fields = Readonly<Record<string, unknown>>;

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

/** A message that cannot be moved without losing some of it. */
export interface Incomplete extends Pick<SeedMessage, "conversationId" | "receivedAtMs"> {
  readonly kind: "incomplete";
  readonly why: string;
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
export function seedMessage(row: Fields): SeedMessage | Incomplete | Junk {
  const context = objectIn(row.context_object);
  const places = [row, context, rawIn(row.raw_message_data)];
  const form = Object.assign({}, ...places.map(formOf).reverse()) as Record<string, string>;
  const conversationId = textIn(row.conversation_id);
  if (conversationId === undefined) return junk("conversation_id is no text");
  const messageSid = form.MessageSid;
  if (messageSid === undefined) return junk("message_sid is no text");
  if (!isBody(row) || !isBody(context)) return junk("body is no text");
  const receivedAtMs = seedInstant(row.received_at ?? arrivalIn(row) ?? context.received_at);
  const media = mediaIn(places);
  const why = lackOf(form, media);
  const isStub = why !== undefined && media.said === 0 && HOLDERS.every((name) => row[name] === undefined);
  if (isStub) return junk(why);
  if (why !== undefined) return { kind: "incomplete", conversationId, receivedAtMs, why };
  return {
    kind: "message",
    conversationId,
    primaryChannel: textIn(row.primary_channel) ?? textIn(context.primary_channel) ?? form.From,
    messageSid,
    receivedAtMs,
    form: { ...form, ...formOfMedia(media) },
  };
}

/** Where a row has what the customer wrote. */
const HOLDERS = ["body", "context_object", "raw_message_data"];

/** What a message may consist of besides media. */
const CONTENT = ["Body", "ButtonText", "ButtonPayload", "InteractiveData", "FlowData", "Latitude"];

function lackOf(form: Readonly<Record<string, string>>, { found, said }: SeedMedia): string | undefined {
  if (found.length < said) return `of its ${said} media ${found.length} can be read`;
  const hasContent = found.length > 0 || CONTENT.some((name) => form[name] !== undefined);
  return hasContent ? undefined : "it has neither a text nor media that can be read";
}

function formOfMedia({ found }: SeedMedia): Record<string, string> {
  const entries = found.flatMap(({ url, type }, n) => [
    [`MediaUrl${n}`, url],
    ...(type === undefined ? [] : [[`MediaContentType${n}`, type]]),
  ]);
  return Object.fromEntries([["NumMedia", String(found.length)], ...entries]);
}

/** A sort key has to be unique: something may follow the time. */
function arrivalIn({ arrival_timestamp: at }: Fields): unknown {
  return typeof at === "string" ? at.split("#")[0] : at;
}

/** `{ conversation_id, expires_at }`, in seconds. */
export function seedLock(row: Fields): SeedLock | Junk {
  const conversationId = textIn(row.conversation_id);
  if (conversationId === undefined) return junk("conversation_id is no text");
  const expiresAtMs = seedInstant(row.expires_at);
  if (expiresAtMs === undefined) return junk("expires_at is no time");
  return { kind: "lock", conversationId, expiresAtMs };
}

/** Empty is a message, too: media come without a text. */
function isBody({ body }: Fields): boolean {
  return body === undefined || body === null || typeof body === "string";
}

/** Names that say what a request is: a row with its state is no status callback. Media are read apart. */
const NOT_OF_FORM = /^(?:MessageStatus|SmsSid|SmsMessageSid|NumMedia|Media(?:Url|ContentType)_?\d*)$/;

/** `message_sid` is `MessageSid` to the provider, `media_url0` is `MediaUrl0`. */
function formOf(fields: Fields): Record<string, string> {
  const entries = Object.entries(fields).flatMap(([name, value]) => {
    const theirs = name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const text = typeof value === "number" ? String(value) : value;
    return typeof text === "string" && text !== "" && !NOT_OF_FORM.test(theirs) ? [[theirs, text]] : [];
  });
  return Object.fromEntries(entries);
}

function rawIn(value: unknown): Fields {
  if (typeof value === "string") {
    const object = objectIn(value);
    return Object.keys(object).length > 0 ? rawIn(object) : Object.fromEntries(new URLSearchParams(value));
  }
  if (!isObject(value)) return {};
  const { body } = value;
  if (typeof body !== "string" || value.message_sid !== undefined) return value;
  const text = value.isBase64Encoded === true ? Buffer.from(body, "base64").toString() : body;
  return rawIn(text);
}

function objectIn(value: unknown): Fields {
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
