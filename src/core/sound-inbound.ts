import type { ChunkReference, DeliveryStatus, InboundMessage, Media } from "../model/message.ts";
import { isObject } from "../schema/is-object.ts";
import { isInstant } from "./instant.ts";
import { count, fields, optional, type Sound, soundAs, text } from "./shape.ts";
import { INBOUND } from "./sound-message.ts";

/**
 * Turns a message as a channel gave it into one that can be stored and read back. A custom channel may give
 * numbers for ids, or `null` for nothing: that is no reason to leave the message unanswered. What is no
 * message at all is reported before it is acknowledged, not after.
 */
export function soundInbound(message: InboundMessage): Sound<InboundMessage> {
  if (!isObject(message)) return { kind: "foreign", why: "it is no object" };
  const { sentAtMs, senderAlias, fields, media, ...rest } = message;
  const { providerId, account, address, sender, replyTo, text } = rest;
  return soundAs(INBOUND, {
    ...rest,
    providerId: named(providerId),
    account: worded(account),
    address: worded(address),
    sender: named(sender),
    replyTo: worded(replyTo),
    text: worded(text ?? ""),
    media: Array.isArray(media) ? media.map(attachedAs) : (media ?? []),
    ...(isInstant(sentAtMs ?? Number.NaN) && { sentAtMs }),
    ...(senderAlias != null && { senderAlias: worded(senderAlias) }),
    ...(isObject(fields) && { fields: toldIn(fields) }),
  });
}

/** Stands where a name should be. Not an empty text: a store may not accept that as a key. */
const UNREADABLE = "(unreadable)";

/** As much of an unreadable message as an operator needs to find out who sent it. Its text is left out. */
export function malformedInbound(message: unknown): InboundMessage {
  const given = isObject(message) ? message : {};
  const told = (value: unknown) => {
    const word = named(value);
    return typeof word === "string" ? word : UNREADABLE;
  };
  const [providerId, account, address, sender] = [
    given.providerId,
    given.account,
    given.address,
    given.sender,
  ].map(told) as [string, string, string, string];
  return { providerId, account, address, sender, replyTo: sender, text: "", media: [] };
}

/** A safe integer has one written form, so it is accepted as a word; other JavaScript numbers do not. */
function worded(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  return typeof value === "bigint" || Number.isSafeInteger(value) ? String(value) : value;
}

/** An empty name is no name: with it, all senders would be one person, and all messages one message. */
function named(value: unknown): unknown {
  return value === "" ? undefined : worded(value);
}

function attachedAs(media: Media): unknown {
  if (!isObject(media)) return media;
  const { url, contentType, name } = media;
  return {
    url: worded(url),
    contentType: worded(contentType ?? "application/octet-stream"),
    ...(name != null && { name: worded(name) }),
  };
}

/** Values that are missing or not simple are left out: a responder is promised texts. */
function toldIn(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (Object.values(fields).every((value) => typeof value === "string")) return fields;
  const told = Object.entries(fields).flatMap(([name, value]) =>
    ["string", "number", "boolean", "bigint"].includes(typeof value) ? [[name, String(value)] as const] : [],
  );
  return Object.fromEntries(told);
}

const STATUS = fields<DeliveryStatus>({
  account: text,
  providerId: text,
  status: text,
  errorCode: optional(text),
  address: optional(text),
  chunk: optional(fields<ChunkReference>({ turnId: text, chunk: count })),
});

/** The same for a delivery status that a channel read. */
export function soundStatus(status: DeliveryStatus): Sound<DeliveryStatus> {
  if (!isObject(status)) return { kind: "foreign", why: "it is no object" };
  const { errorCode, address, chunk, ...rest } = status;
  return soundAs(STATUS, {
    ...rest,
    account: worded(rest.account),
    providerId: named(rest.providerId),
    status: worded(rest.status),
    ...(errorCode != null && { errorCode: worded(errorCode) }),
    ...(address != null && { address: worded(address) }),
    ...(chunk != null && { chunk }),
  });
}
