import type { Conversation, ConversationKey, NewConversation } from "../model/conversation.ts";
import { NO_USAGE } from "../model/reply.ts";
import type { Settings } from "../model/settings.ts";
import { keyOf } from "./identity.ts";

/** The conversation of a first message, from the project's template. */
export function fromTemplate(
  key: ConversationKey,
  { projectStatus, allowedChannels }: Pick<Settings, "projectStatus" | "allowedChannels">,
): NewConversation {
  return { ...keyOf(key), projectStatus, ...(allowedChannels && { allowedChannels }) };
}

/** A new conversation: every field that was not given has its default. */
export function newConversation(
  id: string,
  given: NewConversation,
  { projectStatus, nowMs }: { readonly projectStatus: string; readonly nowMs: number },
): Conversation {
  return {
    ...keyOf(given),
    id,
    ...(given.senderAlias !== undefined && { senderAlias: given.senderAlias }),
    status: "new",
    projectStatus: given.projectStatus ?? projectStatus,
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
