import type { ConversationKey } from "../../model/conversation.ts";
import type { InboundMessage } from "../../model/message.ts";
import type { Channel } from "../../ports/channel.ts";
import { sameSecret } from "../../wire/same-secret.ts";

/** Longest `id` and `sender`: both end up in keys. */
export const NAME_MAX = 200;

/**
 * Where visitors prove nothing, knowing an id is what lets a caller read. Shorter ones could be guessed: a
 * search through all of them would find every visitor.
 */
export const READER_LENGTH_MIN = 8;

/** Why no caller may read as this visitor; undefined where a proof decides. */
export function strangeReader(sender: string): string | undefined {
  if (sender.length < READER_LENGTH_MIN) return "sender is missing or too short";
  // No message has a longer one, and no store has to look for it.
  return sender.length > NAME_MAX ? "sender is too long" : undefined;
}

/** Pages choose their own ids, so one visitor's must never stand in the way of another's. */
export function providerIdOf(sender: string, id: string): string {
  return `${prefixOf(sender)}${id}`;
}

/** The id that the page gave a message. */
export function pagesIdOf({ providerId, sender }: Pick<InboundMessage, "providerId" | "sender">): string {
  const prefix = prefixOf(sender.toWellFormed());
  return providerId.startsWith(prefix) ? providerId.slice(prefix.length) : providerId;
}

function prefixOf(sender: string): string {
  return `${encodeURIComponent(sender)}/`;
}

/**
 * Under which key a visitor's conversations are found. A visitor of another web channel is another visitor,
 * also where both have the same name.
 */
export function visitorKey({ type, addresses }: Channel, sender: string): ConversationKey {
  return { channelType: type, address: addresses?.[0] ?? "", sender };
}

export function isOfVisitor(
  found: ConversationKey,
  { channelType, address, sender }: ConversationKey,
): boolean {
  const isHere = found.channelType === channelType && found.address === address;
  return isHere && sameSecret(found.sender, sender);
}
