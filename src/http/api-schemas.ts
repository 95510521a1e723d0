import { REASON_LENGTH_MAX } from "../core/defaults.ts";
import type { ChunkState } from "../model/draft.ts";
import type { WindowPolicy } from "../model/window.ts";
import { WINDOW } from "../runtime/window-config.ts";
import {
  anything,
  component,
  flag,
  instant,
  list,
  object,
  oneOf,
  optional,
  type Schema,
  someText,
  text,
  whole,
} from "../schema/schema.ts";

export const reason = (description: string) => someText(description, REASON_LENGTH_MAX);
export const count = (description?: string) =>
  whole({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, description);

/** What an action answers that has come to one of these. */
export const result = <const T extends readonly string[]>(...values: T) =>
  object({ result: oneOf(...values) });

export const USAGE = component(
  "Usage",
  object({ promptTokens: count(), completionTokens: count(), totalTokens: count() }),
);

export const MEDIA = component("Media", object({ url: text(), contentType: text(), name: optional(text()) }));

/** What `toPublic` makes of a policy is what a caller may set. */
const IN_SECONDS = WINDOW as Schema as Schema<WindowPolicy>;

export const CONVERSATION = component(
  "Conversation",
  object({
    id: text(),
    channelType: text(),
    address: text("Our address."),
    sender: text("The customer."),
    senderAlias: optional(text("Another name of the same person.")),
    status: oneOf(
      "new",
      "processing_reply",
      "reply_sent",
      "queued_for_ai",
      "awaiting_agent",
      "processing_error",
    ),
    projectStatus: text(),
    allowedChannels: optional(list(text(), "Channel types; absent means all.")),
    taskComplete: flag(),
    handedOff: flag(),
    handOffReason: optional(text()),
    paused: flag(),
    window: optional(IN_SECONDS),
    attributes: anything("Data of your own."),
    promptTokens: count(),
    completionTokens: count(),
    totalTokens: count(),
    createdAtMs: instant(),
    updatedAtMs: instant(),
  }),
);

export const CREATED_CONVERSATION = component(
  "CreatedConversation",
  object({
    created: flag(),
    conversation: CONVERSATION,
    firstMessage: optional(oneOf("staged", "duplicate", "not-found")),
  }),
);

/** Texts, where we wrote them: another system may have staged more. */
const FIELDS = anything("What else the provider told.") as Schema<Readonly<Record<string, string>>>;

export const STAGED_MESSAGE = component(
  "StagedMessage",
  object({
    id: text("The dedupe key."),
    channel: text(),
    account: text(),
    providerId: text(),
    address: text(),
    sender: text(),
    senderAlias: optional(text()),
    replyTo: text(),
    text: text(),
    media: list(MEDIA),
    fields: optional(FIELDS),
    sentAtMs: optional(instant("The provider's time.")),
    arrivedAtMs: instant("Ours."),
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
    about: optional(text("The message of which it says that its answer is late or will not come.")),
    arrivedAtMs: instant("When it was asked for."),
  }),
);

export const MESSAGE_PART = component(
  "MessagePart",
  object({
    id: text("The dedupe key."),
    text: text(),
    media: list(MEDIA),
    arrivedAtMs: instant("Ours."),
    sentAtMs: optional(instant("The provider's time.")),
  }),
);

export const HISTORY_MESSAGE = component(
  "HistoryMessage",
  object({
    role: oneOf("user", "assistant"),
    text: text(),
    media: list(MEDIA),
    atMs: instant(),
    turnId: text(),
    parts: optional(
      list(
        MESSAGE_PART,
        "The messages that a customer's side was merged from, each with its own times and media.",
      ),
    ),
    author: optional(text("Who spoke for the assistant.")),
    unanswered: optional(flag("A dead letter, whose id `turnId` is: they got no answer.")),
  }),
);

export const TURN = component(
  "Turn",
  object({
    turnId: text(),
    conversationId: text(),
    outcome: text("`replied`, `no-reply`, `queued`, `handed-off`, `unknown`, or `refused: CODE`."),
    channel: text(),
    messageIds: list(text()),
    providerIds: list(text()),
    attempts: count(),
    restarts: count(),
    usage: optional(USAGE),
    openedAtMs: instant("When the first message of the batch arrived."),
    dueAtMs: instant(),
    takenAtMs: instant(),
    answerStartedAtMs: optional(instant()),
    answeredAtMs: optional(instant()),
    sentAtMs: optional(instant()),
    committedAtMs: instant(),
  }),
);

export const LOCK = component(
  "Lock",
  object({
    conversationId: text(),
    window: optional(object({ id: text(), dueAtMs: instant() })),
    lease: optional(
      object({
        holder: text(),
        untilAtMs: instant(),
        takenAtMs: instant(),
        turnId: optional(text("Absent while its holder only looks.")),
      }),
    ),
    elsewhere: optional(
      object({ sinceAtMs: instant("Since when a turn waits for another system, with `honourStatus`.") }),
    ),
    staged: count(),
    attempts: count(),
    draft: flag("An answer is written down and not yet committed."),
    failing: optional(
      object({
        reason: text("Why its last try failed."),
        tries: count("All that failed, those of an outage included."),
        sinceAtMs: optional(instant("Since when tries have ended in an outage.")),
        againAtMs: optional(instant("When it is tried again; absent while it is.")),
      }),
    ),
  }),
);

/** All that a state may have, whatever its kind. */
export const CHUNK_STATE = object({
  kind: oneOf("pending", "sending", "sent", "unknown", "dropped"),
  sendByAtMs: optional(instant("While it is `sending`.")),
  providerId: optional(text("Once it is `sent`.")),
  atMs: optional(instant("When it was `sent`.")),
});

export const CHUNK = object({
  text: text(),
  media: optional(list(MEDIA)),
  state: CHUNK_STATE as Schema as Schema<ChunkState>,
});

export const DRAFT = component(
  "Draft",
  object({
    turnId: text(),
    messageIds: list(text()),
    channel: text(),
    to: text(),
    addressee: optional(ADDRESSEE),
    from: text("Our address."),
    chunks: list(CHUNK),
    awaitingUntilAtMs: optional(instant("Until when a late answer is waited for.")),
    usage: optional(USAGE),
    complete: optional(flag()),
    handOff: optional(text()),
    author: optional(text()),
    answerStartedAtMs: instant(),
    draftedAtMs: instant(),
  }),
);

export const REFUSAL = component(
  "Refusal",
  object({
    messageId: text(),
    conversationId: optional(text()),
    channel: text(),
    sender: text(),
    code: text(),
    atMs: instant(),
  }),
);

export const QUARANTINED_ROW = component(
  "QuarantinedRow",
  object({
    id: text(),
    table: text("Where it stood."),
    key: text("Its key there."),
    conversationId: optional(text()),
    why: text("What did not fit."),
    raw: text("The whole row, as JSON."),
    atMs: instant(),
    movable: optional(
      flag("A customer's message that another system staged: `lull migrate seed-aws` moves it."),
    ),
  }),
);

export const DEAD_LETTER = component(
  "DeadLetter",
  object({
    id: text(),
    conversationId: text(),
    reason: text(),
    attempts: count(),
    messages: list(STAGED_MESSAGE),
    outbounds: list(
      STAGED_OUTBOUND,
      "What was to be said without a message that asked for it: a person's words, a first message, a resend.",
    ),
    replySent: oneOf("none", "part", "whole", "unknown"),
    draft: optional(DRAFT),
    atMs: instant(),
  }),
);

export const UNKNOWN_SEND = component(
  "UnknownSend",
  object({
    id: text(),
    conversationId: text(),
    turnId: text(),
    chunk: count("Which message of the reply, from 0 on."),
    channel: text(),
    to: text(),
    addressee: optional(ADDRESSEE),
    from: optional(text("Our address.")),
    text: text(),
    media: optional(list(MEDIA)),
    atMs: instant(),
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
    dead: list(DEAD_LETTER, "Messages that got no turn."),
    unknown: list(UNKNOWN_SEND),
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
    quarantined: count("Rows that Lull did not write, and set aside."),
    paused: flag(),
  }),
);

export const ERROR = component("Error", object({ error: object({ code: text(), message: text() }) }));
