import {
  anything,
  type Components,
  count,
  flag,
  list,
  object,
  oneOf,
  ref,
  seconds,
  text,
  time,
} from "./schema.ts";

const USAGE = object({ prompt_tokens: count(), completion_tokens: count(), total_tokens: count() });
const MEDIA = object({ url: text(), content_type: text(), name: text() }, ["url", "content_type"]);

const CONVERSATION = object(
  {
    id: text(),
    channel_type: text(),
    address: text("Our address."),
    sender: text("The customer."),
    sender_alias: text("Another name of the same person."),
    status: oneOf(
      "new",
      "processing_reply",
      "reply_sent",
      "queued_for_ai",
      "awaiting_agent",
      "processing_error",
    ),
    project_status: text(),
    allowed_channels: list(text(), "Channel types; absent means all."),
    task_complete: flag(),
    handed_off: flag(),
    hand_off_reason: text(),
    paused: flag(),
    window: ref("Window"),
    attributes: anything("Data of your own."),
    prompt_tokens: count(),
    completion_tokens: count(),
    total_tokens: count(),
    created_at: time(),
    updated_at: time(),
  },
  [
    "id",
    "channel_type",
    "address",
    "sender",
    "status",
    "task_complete",
    "handed_off",
    "paused",
    "created_at",
  ],
);

const STAGED_MESSAGE = object(
  {
    id: text("The dedupe key."),
    channel: text(),
    account: text(),
    provider_id: text(),
    address: text(),
    sender: text(),
    sender_alias: text(),
    reply_to: text(),
    text: text(),
    media: list(ref("Media")),
    fields: anything("What else the provider told."),
    sent_at: time("The provider's time."),
    arrived_at: time("Ours."),
    position: count(),
    sequence: count(),
  },
  ["id", "channel", "provider_id", "sender", "text", "arrived_at"],
);

const MESSAGE_PART = object(
  {
    id: text("The dedupe key."),
    text: text(),
    media: list(ref("Media")),
    arrived_at: time("Ours."),
    sent_at: time("The provider's time."),
  },
  ["id", "text", "media", "arrived_at"],
);

const HISTORY_MESSAGE = object(
  {
    role: oneOf("user", "assistant"),
    text: text(),
    media: list(ref("Media")),
    at: time(),
    turn_id: text(),
    parts: list(MESSAGE_PART, "The messages that a customer's side was merged from."),
    author: text("Who spoke for the assistant."),
  },
  ["role", "text", "at", "turn_id"],
);

const TURN = object(
  {
    turn_id: text(),
    conversation_id: text(),
    outcome: text("`replied`, `no-reply`, `queued`, `handed-off`, `unknown`, or `refused: CODE`."),
    channel: text(),
    message_ids: list(text()),
    provider_ids: list(text()),
    attempts: count(),
    restarts: count(),
    usage: ref("Usage"),
    opened_at: time("When the first message of the batch arrived."),
    due_at: time(),
    taken_at: time(),
    answer_started_at: time(),
    answered_at: time(),
    sent_at: time(),
    committed_at: time(),
  },
  ["turn_id", "conversation_id", "outcome", "message_ids", "committed_at"],
);

const LOCK = object(
  {
    conversation_id: text(),
    window: object({ id: text(), due_at: time() }, ["id", "due_at"]),
    lease: object({ holder: text(), until_at: time(), taken_at: time() }, ["holder", "until_at", "taken_at"]),
    staged: count(),
    attempts: count(),
    draft: flag("An answer is written down and not yet committed."),
  },
  ["conversation_id", "staged", "attempts", "draft"],
);

const CHUNK = object(
  {
    text: text(),
    media: list(ref("Media")),
    state: object({
      kind: oneOf("pending", "sending", "sent", "unknown", "dropped"),
      send_by_at: time(),
      provider_id: text(),
      at: time(),
    }),
  },
  ["text", "state"],
);

const DRAFT = object(
  {
    turn_id: text(),
    message_ids: list(text()),
    channel: text(),
    to: text(),
    from: text(),
    chunks: list(CHUNK),
    awaiting_until_at: time(),
    usage: ref("Usage"),
    complete: flag(),
    hand_off: text(),
    author: text(),
    answer_started_at: time(),
    drafted_at: time(),
  },
  ["turn_id", "chunks"],
);

/** What the API speaks of, by name. */
export const COMPONENTS: Components = {
  Window: object(
    { seconds: seconds(), quiet_seconds: seconds(), max_seconds: seconds() },
    [],
    "Either `seconds`: from the first message; or `quiet_seconds`: until nobody wrote for that long, `max_seconds` at most.",
  ),
  Usage: USAGE,
  Media: MEDIA,
  Conversation: CONVERSATION,
  CreatedConversation: object(
    {
      created: flag(),
      conversation: ref("Conversation"),
      first_message: oneOf("staged", "duplicate", "not-found"),
    },
    ["created", "conversation"],
  ),
  StagedMessage: STAGED_MESSAGE,
  HistoryMessage: HISTORY_MESSAGE,
  Turn: TURN,
  Lock: LOCK,
  Draft: DRAFT,
  Refusal: object(
    {
      message_id: text(),
      conversation_id: text(),
      channel: text(),
      sender: text(),
      code: text(),
      at: time(),
    },
    ["message_id", "channel", "code", "at"],
  ),
  QuarantinedRow: object(
    {
      id: text(),
      table: text(),
      key: text(),
      conversation_id: text(),
      why: text(),
      raw: text(),
      at: time(),
    },
    ["id", "table", "key", "why", "raw", "at"],
  ),
  DeadLetter: object(
    {
      id: text(),
      conversation_id: text(),
      reason: text(),
      attempts: count(),
      messages: list(ref("StagedMessage")),
      reply_sent: oneOf("none", "part", "whole", "unknown"),
      draft: ref("Draft"),
      at: time(),
    },
    ["id", "conversation_id", "reason", "messages", "reply_sent", "at"],
  ),
  UnknownSend: object(
    {
      id: text(),
      conversation_id: text(),
      turn_id: text(),
      chunk: count(),
      channel: text(),
      to: text(),
      from: text("Our address."),
      text: text(),
      media: list(ref("Media")),
      at: time(),
    },
    ["id", "conversation_id", "turn_id", "text", "at"],
  ),
  ConversationDetail: object(
    {
      conversation: ref("Conversation"),
      staged: list(ref("StagedMessage")),
      lock: ref("Lock"),
      messages: list(ref("HistoryMessage")),
      turns: list(ref("Turn")),
      refusals: list(ref("Refusal")),
    },
    ["conversation", "staged", "messages", "turns", "refusals"],
  ),
  Counts: object({
    conversations: count(),
    staged: count(),
    windows: count(),
    leases: count(),
    turns: count(),
    dead: count(),
    unknown: count(),
    refusals: count(),
    quarantined: count(),
    paused: flag(),
  }),
  Error: object({ error: object({ code: text(), message: text() }, ["code", "message"]) }, ["error"]),
};
