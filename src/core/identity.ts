import { createHash } from "node:crypto";
import type { ConversationKey } from "../ports/conversations.ts";

/** The dedupe key as one string: channel, receiving account, provider's id. */
export function messageId(channel: string, account: string, providerId: string): string {
  return `${channel}/${encodeURIComponent(account)}/${providerId}`;
}

/**
 * A conversation's id follows from its key and from the one before it, so that two first messages at the same instant,
 * on two machines, make one conversation, and the first message after a completed task makes another.
 */
export function conversationId(key: ConversationKey, previousId = ""): string {
  const hash = createHash("sha256");
  for (const part of [key.channelType, key.address, key.sender, previousId])
    hash.update(`${part.length}:${part}`);
  return `c_${hash.digest("base64url").slice(0, 22)}`;
}
