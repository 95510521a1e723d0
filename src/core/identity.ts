import { createHmac } from "node:crypto";
import type { ConversationKey } from "../model/conversation.ts";
import type { Arrival } from "../model/message.ts";
import type { Settings } from "../model/settings.ts";

/** The dedupe key as one string: channel, receiving account, provider's id. */
export function messageId(channel: string, account: string, providerId: string): string {
  return `${channel}/${encodeURIComponent(account)}/${providerId}`;
}

/**
 * A conversation's id follows from its key and from the one before it, so that two first messages at the same instant,
 * on two machines, make one conversation, and the first message after a completed task makes another. Ids are logged and given to others:
 * without the installation's secret in it, whoever sees one would find the phone number by trying all of them.
 */
export function conversationId(secret: string, key: ConversationKey, previousId = ""): string {
  const hash = createHmac("sha256", secret);
  for (const part of [key.channelType, key.address, key.sender, previousId])
    hash.update(`${part.length}:${part}`);
  return `c_${hash.digest("base64url").slice(0, 22)}`;
}

/** Whose conversation a message is about: its sender, at this address of ours, over this type of channel. */
export function conversationKey(
  { channels }: Pick<Settings, "channels">,
  { channel, address, sender }: Pick<Arrival, "channel" | "address" | "sender">,
): ConversationKey {
  return { channelType: channels[channel]?.type ?? channel, address, sender };
}
