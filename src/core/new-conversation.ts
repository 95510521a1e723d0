import type { Conversation, NewConversation } from "../model/conversation.ts";
import { ACTIVE } from "../model/project.ts";
import { NO_USAGE } from "../model/reply.ts";
import { keyOf } from "./identity.ts";

/**
 * A new conversation: every field that was not given has its default. Its project's rule is not copied into
 * it: that may change at any time, and counts for all.
 */
export function newConversation(id: string, given: NewConversation, nowMs: number): Conversation {
  return {
    ...keyOf(given),
    id,
    ...(given.senderAlias !== undefined && { senderAlias: given.senderAlias }),
    status: "new",
    projectStatus: given.projectStatus ?? ACTIVE,
    ...(given.allowedChannels && { allowedChannels: given.allowedChannels }),
    taskComplete: false,
    handedOff: false,
    paused: false,
    ...(given.window && { window: given.window }),
    attributes: given.attributes ?? {},
    ...NO_USAGE,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}
