import { providerIdWithin } from "../../core/identity.ts";
import { isoOf } from "../../core/instant.ts";
import type { Conversation } from "../../model/conversation.ts";
import type { HistoryMessage } from "../../model/history.ts";
import type { Media } from "../../model/message.ts";
import type { Turn, TurnMessage } from "../../ports/responder.ts";

/** Characters that JSON leaves as they are and SQS refuses. A customer may type them. */
const REFUSED = /[\uFFFE\uFFFF]/g;

/** What goes along with a turn, and where it goes. */
export interface HandOver {
  readonly url: string;
  readonly history?: readonly HistoryMessage[];
  readonly answerWithinSeconds?: number | undefined;
}

/**
 * The merged turn as JSON, in the names of the conversations table, which consumers of the queue often read
 * as well.
 */
export function bodyOf(turn: Turn, { url, history = [], answerWithinSeconds }: HandOver): string {
  const { id, attempt, channel, conversation, messages, text, media } = turn;
  const payload = {
    turn: { id, attempt },
    target_queue_url: url,
    conversation_id: conversation.id,
    primary_channel: conversation.sender,
    channel,
    channel_type: conversation.channelType,
    first_message_sid: messages[0] && sidOf(messages[0]),
    combined_body: text,
    media: media.map(mediaOf),
    messages: messages.map(messageOf),
    conversation: conversationOf(conversation),
    ...(history.length > 0 && { history: history.map(spokenOf) }),
    ...(answerWithinSeconds !== undefined && { answer_within_seconds: answerWithinSeconds }),
  };
  return JSON.stringify(payload).replace(REFUSED, (sign) => `\\u${sign.charCodeAt(0).toString(16)}`);
}

/** The provider's own. */
function sidOf({ id }: Pick<TurnMessage, "id">): string {
  return providerIdWithin(id) ?? id;
}

function messageOf({ id, text, media, arrivedAtMs, sentAtMs, fields }: TurnMessage) {
  return {
    id,
    message_sid: sidOf({ id }),
    body: text,
    media: media.map(mediaOf),
    received_at: isoOf(arrivedAtMs),
    ...(sentAtMs !== undefined && { sent_at: isoOf(sentAtMs) }),
    ...(fields && { fields }),
  };
}

/**
 * Its owner's own configuration is among the attributes: `channel_config`, `ai_config`, `openai_thread_id`,
 * `assistant_id`.
 */
function conversationOf(conversation: Conversation) {
  const { senderAlias, allowedChannels, handOffReason } = conversation;
  return {
    address: conversation.address,
    ...(senderAlias !== undefined && { sender_alias: senderAlias }),
    project_status: conversation.projectStatus,
    ...(allowedChannels && { allowed_channels: allowedChannels }),
    task_complete: conversation.taskComplete ? 1 : 0,
    hand_off_to_human: conversation.handedOff,
    ...(handOffReason !== undefined && { hand_off_to_human_reason: handOffReason }),
    attributes: conversation.attributes,
    created_at: isoOf(conversation.createdAtMs),
    updated_at: isoOf(conversation.updatedAtMs),
  };
}

function spokenOf({ role, text, media, atMs, turnId, author, unanswered }: HistoryMessage) {
  return {
    role,
    body: text,
    media: media.map(mediaOf),
    at: isoOf(atMs),
    turn_id: turnId,
    ...(author !== undefined && { author }),
    ...(unanswered && { unanswered }),
  };
}

function mediaOf({ url, contentType, name }: Media) {
  return { url, content_type: contentType, ...(name !== undefined && { name }) };
}
