import { REASON_LENGTH_MAX } from "../core/defaults.ts";
import { SECONDS } from "../core/limits.ts";
import {
  anything,
  component,
  flag,
  list,
  object,
  oneOf,
  optional,
  options,
  someText,
  text,
  time,
  whole,
} from "../core/schema.ts";
export const reason = (description: string) => someText(description, REASON_LENGTH_MAX);
export const count = (description?: string) =>
  whole({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, description);

/** What an action answers that has come to one of these. */
export const result = <const T extends readonly string[]>(...values: T) =>
  object({ result: oneOf(...values) });

export const WINDOW = component(
  "Window",
  options(
    { seconds: SECONDS, quiet_seconds: SECONDS, max_seconds: SECONDS },
    "Either `seconds`: from the first message; or `quiet_seconds`: of silence, `max_seconds` at most.",
  ),
);

export const USAGE = component(
  "Usage",
  object({ prompt_tokens: count(), completion_tokens: count(), total_tokens: count() }),
);

export const MEDIA = component(
  "Media",
  object({ url: text(), content_type: text(), name: optional(text()) }),
);

export const CONVERSATION = component(
  "Conversation",
  object({
    id: text(),
    channel_type: text(),
    address: text("Our address."),
    sender: text("The customer."),
    sender_alias: optional(text("Another name of the same person.")),
    status: oneOf(
      "new",
      "processing_reply",
      "reply_sent",
      "queued_for_ai",
      "awaiting_agent",
      "processing_error",
    ),
    project_status: text(),
    allowed_channels: optional(list(text(), "Channel types; absent means all.")),
    task_complete: flag(),
    handed_off: flag(),
    hand_off_reason: optional(text()),
    paused: flag(),
    window: optional(WINDOW),
    attributes: anything("Data of your own."),
    prompt_tokens: count(),
    completion_tokens: count(),
    total_tokens: count(),
    created_at: time(),
    updated_at: time(),
  }),
);

export const CREATED_CONVERSATION = component(
  "CreatedConversation",
  object({
    created: flag(),
    conversation: CONVERSATION,
    first_message: optional(oneOf("staged", "duplicate", "not-found")),
  }),
);

export const STAGED_MESSAGE = component(
  "StagedMessage",
  object({
    id: text("The dedupe key."),
    channel: text(),
    account: text(),
    provider_id: text(),
    address: text(),
    sender: text(),
    sender_alias: optional(text()),
    reply_to: text(),
    text: text(),
    media: list(MEDIA),
    fields: optional(anything("What else the provider told.")),
    sent_at: optional(time("The provider's time.")),
    arrived_at: time("Ours."),
    position: count(),
    sequence: count(),
  }),
);

const ADDRESSEE = text("The customer's name that `to` stands for, if it may pass to another person.");

const STAGED_OUTBOUND = component(
  "StagedOutbound",
  object({
    id: text(),
    channel: text(),
    to: text(),
    addressee: optional(ADDRESSEE),
    texts: list(text()),
    media: optional(list(MEDIA)),
    author: text("Who says it."),
    arrived_at: time("When it was asked for."),
  }),
);

export const MESSAGE_PART = component(
  "MessagePart",
  object({
    id: text("The dedupe key."),
    text: text(),
    media: list(MEDIA),
    arrived_at: time("Ours."),
    sent_at: optional(time("The provider's time.")),
  }),
);

export const HISTORY_MESSAGE = component(
  "HistoryMessage",
  object({
    role: oneOf("user", "assistant"),
    text: text(),
    media: list(MEDIA),
    at: time(),
    turn_id: text(),
    parts: optional(
      list(
        MESSAGE_PART,
        "The messages that a customer's side was merged from, each with its own times and media.",
      ),
    ),
    author: optional(text("Who spoke for the assistant.")),
  }),
);

export const TURN = component(
  "Turn",
  object({
    turn_id: text(),
    conversation_id: text(),
    outcome: text("`replied`, `no-reply`, `queued`, `handed-off`, `unknown`, or `refused: CODE`."),
    channel: text(),
    message_ids: list(text()),
    provider_ids: list(text()),
    attempts: count(),
    restarts: count(),
    usage: optional(USAGE),
    opened_at: time("When the first message of the batch arrived."),
    due_at: time(),
    taken_at: time(),
    answer_started_at: optional(time()),
    answered_at: optional(time()),
    sent_at: optional(time()),
    committed_at: time(),
  }),
);

export const LOCK = component(
  "Lock",
  object({
    conversation_id: text(),
    window: optional(object({ id: text(), due_at: time() })),
    lease: optional(object({ holder: text(), until_at: time(), taken_at: time() })),
    staged: count(),
    attempts: count(),
    draft: flag("An answer is written down and not yet committed."),
  }),
);

export const CHUNK = object({
  text: text(),
  media: optional(list(MEDIA)),
  state: object({
    kind: oneOf("pending", "sending", "sent", "unknown", "dropped"),
    send_by_at: optional(time("While it is `sending`.")),
    provider_id: optional(text("Once it is `sent`.")),
    at: optional(time("When it was `sent`.")),
  }),
});

export const DRAFT = component(
  "Draft",
  object({
    turn_id: text(),
    message_ids: list(text()),
    channel: text(),
    to: text(),
    addressee: optional(ADDRESSEE),
    from: text("Our address."),
    chunks: list(CHUNK),
    awaiting_until_at: optional(time("Until when a late answer is waited for.")),
    usage: optional(USAGE),
    complete: optional(flag()),
    hand_off: optional(text()),
    author: optional(text()),
    answer_started_at: time(),
    drafted_at: time(),
  }),
);

export const REFUSAL = component(
  "Refusal",
  object({
    message_id: text(),
    conversation_id: optional(text()),
    channel: text(),
    sender: text(),
    code: text(),
    at: time(),
  }),
);

export const QUARANTINED_ROW = component(
  "QuarantinedRow",
  object({
    id: text(),
    table: text("Where it stood."),
    key: text("Its key there."),
    conversation_id: optional(text()),
    why: text("What did not fit."),
    raw: text("The whole row, as JSON."),
    at: time(),
  }),
);

export const DEAD_LETTER = component(
  "DeadLetter",
  object({
    id: text(),
    conversation_id: text(),
    reason: text(),
    attempts: count(),
    messages: list(STAGED_MESSAGE),
    outbounds: list(
      STAGED_OUTBOUND,
      "What was to be said without a message that asked for it: a person's words, a first message, a resend.",
    ),
    reply_sent: oneOf("none", "part", "whole", "unknown"),
    draft: optional(DRAFT),
    at: time(),
  }),
);

export const UNKNOWN_SEND = component(
  "UnknownSend",
  object({
    id: text(),
    conversation_id: text(),
    turn_id: text(),
    chunk: count("Which message of the reply, from 0 on."),
    channel: text(),
    to: text(),
    addressee: optional(ADDRESSEE),
    from: optional(text("Our address.")),
    text: text(),
    media: optional(list(MEDIA)),
    at: time(),
  }),
);

export const CONVERSATION_DETAIL = component(
  "ConversationDetail",
  object({
    conversation: CONVERSATION,
    staged: list(STAGED_MESSAGE, "The latest; how many there are in all stands in `lock`."),
    lock: optional(LOCK),
    messages: list(HISTORY_MESSAGE),
    turns: list(TURN),
    refusals: list(REFUSAL),
  }),
);

export const COUNTS = component(
  "Counts",
  object({
    conversations: count(),
    staged: count(),
    windows: count(),
    leases: count(),
    turns: count(),
    dead: count(),
    unknown: count(),
    refusals: count(),
    quarantined: optional(count("Absent where no other program can write into the store.")),
    paused: flag(),
  }),
);

export const ERROR = component("Error", object({ error: object({ code: text(), message: text() }) }));
