import type { InboundMessage, Media } from "../ports/message.ts";
import { isObject, type Sound, soundAs } from "./shape.ts";
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
    providerId: worded(providerId),
    account: worded(account),
    address: worded(address),
    sender: worded(sender),
    replyTo: worded(replyTo),
    text: worded(text ?? ""),
    media: Array.isArray(media) ? media.map(attachedAs) : (media ?? []),
    ...(Number.isFinite(sentAtMs) && { sentAtMs }),
    ...(senderAlias != null && { senderAlias: worded(senderAlias) }),
    ...(isObject(fields) && { fields: toldIn(fields) }),
  });
}

/** Stands where a name should be. Not nothing: a key of a store may have to be a word. */
const UNREADABLE = "(unreadable)";

/** As much of a message that cannot be kept as a person needs to find out whose it was. Its words are not among it. */
export function oddInbound(message: unknown): InboundMessage {
  const given = isObject(message) ? message : {};
  const named = (value: unknown) => {
    const word = worded(value);
    return typeof word === "string" && word !== "" ? word : UNREADABLE;
  };
  const [providerId, account, address, sender] = [
    given.providerId,
    given.account,
    given.address,
    given.sender,
  ].map(named) as [string, string, string, string];
  return { providerId, account, address, sender, replyTo: sender, text: "", media: [] };
}

function worded(value: unknown): unknown {
  return typeof value === "number" || typeof value === "bigint" ? String(value) : value;
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
