import type { InboundMessage, Media, StagedMessage } from "../model/message.ts";
import type { StagedOutbound } from "../model/outbound.ts";
import { isObject } from "../schema/is-object.ts";
import { count, fields, listOf, optional, type Sound, soundAs, text, time } from "./shape.ts";

export const MEDIA = listOf(fields<Media>({ url: text, contentType: text, name: optional(text) }));

const INBOUND_FIELDS = {
  providerId: text,
  account: text,
  address: text,
  sender: text,
  senderAlias: optional(text),
  replyTo: text,
  text,
  media: MEDIA,
  sentAtMs: optional(time),
  fields: optional((value) => (isObject(value) ? undefined : " is no object")),
};

/** A message as a channel gives it. */
export const INBOUND = fields<InboundMessage>(INBOUND_FIELDS);

const MESSAGE = fields<StagedMessage>({
  ...INBOUND_FIELDS,
  id: text,
  channel: text,
  arrivedAtMs: time,
  position: count,
  sequence: count,
});

const OUTBOUND = fields<StagedOutbound>({
  id: text,
  channel: text,
  to: text,
  texts: listOf(text),
  media: optional(MEDIA),
  addressee: optional(text),
  author: text,
  about: optional(text),
  arrivedAtMs: time,
});

/**
 * A staged message as it was read, if it is a valid one. A custom channel may have given a time that is no
 * number, or no second name: JSON stores both as `null`. That is no reason to leave the message unanswered,
 * so such fields are left out.
 */
export function soundMessage(value: unknown): Sound<StagedMessage> {
  return soundAs(MESSAGE, isObject(value) ? withoutNulls(value) : value);
}

function withoutNulls(value: Readonly<Record<string, unknown>>): unknown {
  const entries = Object.entries(value);
  if (!entries.some(([, each]) => each === null)) return value;
  return Object.fromEntries(entries.filter(([, each]) => each !== null));
}

/** A staged outbound as it was read, if it is a valid one. */
export function soundOutbound(value: unknown): Sound<StagedOutbound> {
  return soundAs(OUTBOUND, value);
}
