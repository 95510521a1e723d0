import type { Chunk, Draft } from "../model/draft.ts";
import type { Usage } from "../model/reply.ts";
import type { LeaseState } from "./lease.ts";
import {
  count,
  fields,
  flag,
  kinds,
  listOf,
  number,
  optional,
  type Sound,
  soundAs,
  text,
  time,
} from "./shape.ts";
import { MEDIA } from "./sound-message.ts";
import { type ConversationState, type Elsewhere, type Window, type Work, workOf } from "./state.ts";

const WINDOW = fields<Window>({ id: text, dueAtMs: time, wakeAtMs: time });

const LEASE = fields<LeaseState>({
  token: text,
  holder: text,
  turnId: text,
  takenAtMs: time,
  untilAtMs: time,
});

const ELSEWHERE = fields<Elsewhere>({ sinceAtMs: time, recordAtMs: number, waitingSinceAtMs: time });

const WORK = fields<Work>({
  turnId: text,
  recordId: text,
  messageIds: listOf(text),
  batchIds: listOf(text),
  attempts: count,
  errors: optional(count),
  outages: optional(count),
  failingSinceAtMs: optional(time),
  restarts: count,
  openedAtMs: time,
  dueAtMs: time,
  takenAtMs: time,
  lastError: optional(text),
  putOffMs: optional(time),
});

const CHUNK = fields<Chunk>({
  text,
  media: optional(MEDIA),
  state: kinds({
    pending: fields({}),
    sending: fields({ sendByAtMs: time }),
    sent: fields({ providerId: text, atMs: time }),
    unknown: fields({}),
    dropped: fields({}),
  }),
});

export const USAGE = fields<Usage>({ promptTokens: number, completionTokens: number, totalTokens: number });

export const DRAFT = fields<Draft>({
  turnId: text,
  messageIds: listOf(text),
  channel: text,
  to: text,
  addressee: optional(text),
  from: text,
  chunks: listOf(CHUNK),
  awaitingUntilAtMs: optional(time),
  usage: optional(USAGE),
  complete: optional(flag),
  handOff: optional(text),
  author: optional(text),
  answerStartedAtMs: time,
  draftedAtMs: time,
});

const STATE = fields<ConversationState>({
  window: optional(WINDOW),
  lease: optional(LEASE),
  works: listOf(WORK),
  draft: optional(DRAFT),
  notBeforeAtMs: optional(time),
  leftBehindAtMs: optional(time),
  elsewhere: optional(ELSEWHERE),
  heldFor: optional(text),
  busyToldTurnId: optional(text),
  fullTold: optional(flag),
});

/**
 * A conversation's state as it was read, if it is a valid one. A draft belongs to a turn that was taken:
 * without that turn's work its attempts could not be counted, so such a state is foreign, too.
 */
export function soundState(value: unknown): Sound<ConversationState> {
  const read = soundAs<ConversationState>(STATE, value);
  if (read.kind === "foreign" || !read.value.draft) return read;
  return workOf(read.value, read.value.draft.turnId) ? read : { kind: "foreign", why: "draft has no work" };
}
