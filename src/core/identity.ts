import { createHmac, hash } from "node:crypto";
import type { ConversationKey } from "../model/conversation.ts";
import type { Arrival, ChunkReference } from "../model/message.ts";
import type { Settings } from "../model/settings.ts";

/** The dedupe key as one string: channel, receiving account, provider's id. */
export function messageId(channel: string, account: string, providerId: string): string {
  return `${channel}/${encodeURIComponent(account)}/${providerId}`;
}

/** The provider's own id within it, which may hold anything. */
export function providerIdWithin(id: string): string | undefined {
  return /^[^/]+\/[^/]*\/(.+)$/s.exec(id)?.[1];
}

/**
 * A conversation's id follows from its key and from the conversation before it. Two first messages at the
 * same instant on two machines therefore make one conversation, and the first message after a completed task
 * makes another. Ids are logged and given to other systems: without the installation's secret in the hash,
 * the phone number could be found by trying all numbers.
 */
export function conversationId(secret: string, key: ConversationKey, previousId = ""): string {
  const hash = createHmac("sha256", secret);
  for (const part of [key.channelType, key.address, key.sender, previousId])
    hash.update(`${part.length}:${part}`);
  return `c_${hash.digest("base64url").slice(0, 22)}`;
}

/** A secret of its own for each purpose, 32 bytes in base64url: none tells anything of another. */
export function secretFor(secret: string, purpose: string): string {
  const forPurposes = createHmac("sha256", secret).update("secrets by purpose").digest();
  return createHmac("sha256", forPurposes).update(purpose).digest("base64url");
}

/** The key of a message's conversation: its sender, at this address of ours, over this type of channel. */
export function conversationKey(
  { channels }: Pick<Settings, "channels">,
  { channel, address, sender }: Pick<Arrival, "channel" | "address" | "sender">,
): ConversationKey {
  return { channelType: channelType({ channels }, channel), address, sender };
}

/** The key within what has more fields. */
export function keyOf({ channelType, address, sender }: ConversationKey): ConversationKey {
  return { channelType, address, sender };
}

export function channelType({ channels }: Pick<Settings, "channels">, channel: string): string {
  return channels[channel]?.type ?? channel;
}

/** Ids of turns, and on AWS of dead letters, end with their conversation's id: none has to be looked up. */
export function idWithin(conversationId: string, unique: string): string {
  return `${unique}.${conversationId}`;
}

export function conversationWithin(id: string): string | undefined {
  const dot = id.indexOf(".");
  return dot === -1 ? undefined : id.slice(dot + 1) || undefined;
}

/** The id of an unknown send: that of its turn, and its chunk. */
export function unknownSendId({ turnId, chunk }: ChunkReference): string {
  return `${turnId}.${chunk}`;
}

/** The conversation of an unknown send, whose turn's id ends with it. */
export function conversationOfUnknown(unknownId: string): string | undefined {
  const dot = unknownId.lastIndexOf(".");
  return dot === -1 ? undefined : conversationWithin(unknownId.slice(0, dot));
}

/**
 * The id of a window's turn. It follows from what is on disk since the messages were acknowledged: a turn
 * whose lease a power cut forgot is taken again under the same id, and a late answer still fits. Windows have
 * ids of their own, so messages that are retried make another turn.
 */
export function turnIdFrom(conversationId: string, windowId: string, messageIds: readonly string[]): string {
  const unique = hash("sha256", JSON.stringify([windowId, messageIds]), "base64url").slice(0, 22);
  // A command would take an id that begins with a dash for an option.
  return idWithin(conversationId, unique.replace(/^-/, "0"));
}
