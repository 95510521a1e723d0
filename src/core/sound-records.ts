import type { LetterHead } from "../model/dead-letter.ts";
import type { HistoryMessage, MessagePart } from "../model/history.ts";
import type { NameRecord } from "../model/names.ts";
import type { Refusal } from "../model/refusal.ts";
import type { TurnRecord } from "../model/turn.ts";
import type { UnknownSend } from "../model/unknown-send.ts";
import { isObject } from "../schema/is-object.ts";
import { count, fields, listOf, oneOf, optional, type Sound, soundAs, text, time } from "./shape.ts";
import { MEDIA } from "./sound-message.ts";
import { DRAFT, USAGE } from "./sound-state.ts";

const HISTORY = fields<Omit<HistoryMessage, "unanswered">>({
  role: oneOf("user", "assistant"),
  text,
  media: MEDIA,
  atMs: time,
  turnId: text,
  parts: optional(
    listOf(
      fields<MessagePart>({ id: text, text, media: MEDIA, arrivedAtMs: time, sentAtMs: optional(time) }),
    ),
  ),
  author: optional(text),
});

const TURN = fields<TurnRecord>({
  turnId: text,
  conversationId: text,
  outcome: text,
  channel: text,
  messageIds: listOf(text),
  providerIds: listOf(text),
  attempts: count,
  restarts: count,
  usage: optional(USAGE),
  openedAtMs: time,
  dueAtMs: time,
  takenAtMs: time,
  answerStartedAtMs: optional(time),
  answeredAtMs: optional(time),
  sentAtMs: optional(time),
  committedAtMs: time,
});

const UNKNOWN = fields<UnknownSend>({
  id: text,
  conversationId: text,
  turnId: text,
  chunk: count,
  channel: text,
  to: text,
  addressee: optional(text),
  from: optional(text),
  text,
  media: optional(MEDIA),
  atMs: time,
});

const REFUSAL = fields<Refusal>({
  messageId: text,
  conversationId: optional(text),
  channel: text,
  sender: text,
  code: text,
  atMs: time,
});

const NAME = fields<NameRecord>({
  cameWith: listOf(text),
  strangers: optional(listOf(text)),
  whose: optional((value) => (isObject(value) ? listOf(text)(Object.values(value)) : " is no object")),
});

/** Without its messages, which every engine stores in its own way. */
const LETTER = fields<LetterHead>({
  id: text,
  conversationId: text,
  reason: text,
  attempts: count,
  draft: optional(DRAFT),
  atMs: time,
});

/** Stored records as they were read, if they are valid. */
export function soundHistory(value: unknown): Sound<HistoryMessage> {
  return soundAs(HISTORY, value);
}

export function soundTurn(value: unknown): Sound<TurnRecord> {
  return soundAs(TURN, value);
}

export function soundUnknown(value: unknown): Sound<UnknownSend> {
  return soundAs(UNKNOWN, value);
}

export function soundRefusal(value: unknown): Sound<Refusal> {
  return soundAs(REFUSAL, value);
}

export function soundLetter(value: unknown): Sound<LetterHead> {
  return soundAs(LETTER, value);
}

export function soundNameRecord(value: unknown): Sound<NameRecord> {
  return soundAs(NAME, value);
}
