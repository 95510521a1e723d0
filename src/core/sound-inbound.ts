import type { DeliveryStatus, InboundMessage, Media } from "../model/message.ts";
import { isInstant } from "./instant.ts";
import { count, fields, isObject, optional, type Sound, soundAs, text } from "./shape.ts";
import { INBOUND } from "./sound-message.ts";

/**
 * A message as a channel gave it, made into one that can be read back. A channel of somebody's own may give numbers for ids, or `null` for
 * nothing: that is no reason to leave the message unanswered. What is no message at all is told before it is acknowledged, not after.
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

/** Stands where a name should be. Not nothing: a key of a store may have to be a word. */
const UNREADABLE = "(unreadable)";

/** As much of a message that cannot be kept as a person needs to find out whose it was. Its words are not among it. */
export function oddInbound(message: unknown): InboundMessage {
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

/** A number that stands for one thing only is a word: the others that JavaScript knows stand for many. */
function worded(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  return typeof value === "bigint" || Number.isSafeInteger(value) ? String(value) : value;
}

/** Without one, everybody would be the same person, and every message the same message. */
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

/** What is nothing, or more than a word, is left out: a responder is promised words. */
function toldIn(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  const told = Object.entries(fields).flatMap(([name, value]) =>
    ["string", "number", "boolean", "bigint"].includes(typeof value) ? [[name, String(value)] as const] : [],
  );
  return Object.fromEntries(told);
}

const STATUS = fields({
  account: text,
  providerId: text,
  status: text,
  errorCode: optional(text),
  address: optional(text),
  chunk: optional(fields({ turnId: text, chunk: count })),
});

/** What became of a send, as a channel read it: likewise. */
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
