import { pagesIdOf } from "../channels/web/visitor.ts";
import { activityOf } from "../core/activity.ts";
import { isoOf } from "../core/instant.ts";
import type { DeadLetter } from "../model/dead-letter.ts";
import type { HistoryMessage } from "../model/history.ts";
import type { StagedMessage } from "../model/message.ts";
import type { Settings } from "../model/settings.ts";
import type { Failing, TurnRecord } from "../model/turn.ts";
import type { ConversationDetail } from "../ports/inspector.ts";
import type { Feed, FeedFailing, FeedMessage, FeedTurn, FeedUnanswered, FeedWaiting } from "./feed-shape.ts";

const TURNS_MAX = 50;

/** Who is told, and what they know already. */
export interface Reader {
  /** The last message that they know. */
  readonly after: number;
  /** Developers are told why something failed; a visitor is not: a provider's words may say anything. */
  readonly showsReasons: boolean;
}

/** What the phone page is told: only what concerns this visitor. */
export function feedOf(detail: ConversationDetail, settings: Settings, reader: Reader, nowMs: number): Feed {
  const { conversation, staged, lock } = detail;
  return {
    conversation: conversation.id,
    now: isoOf(nowMs),
    ...stateOf(detail, settings, nowMs),
    status: conversation.status,
    paused: conversation.paused,
    handed_off: conversation.handedOff,
    complete: conversation.taskComplete,
    // There may be more than are shown. Without a staged message, the lock counts only what we say ourselves.
    staged: staged.length === 0 ? 0 : Math.max(staged.length, lock?.staged ?? 0),
    waiting: staged.map(waitingMessage),
    messages: numbered(detail.messages).filter(({ n }) => n > reader.after),
    turns: newest(detail.turns).map(publicTurn),
    ...(lock?.failing && { failing: failingTurn(lock.failing, reader, nowMs) }),
    unanswered: detail.dead.map((letter) => unansweredOf(letter, reader)),
    unknown: detail.unknown.map(({ id, atMs, turnId }) => ({
      ...(reader.showsReasons && { id }),
      at: isoOf(atMs),
      turn_id: turnId,
    })),
  };
}

function failingTurn(failing: Failing, { showsReasons }: Reader, nowMs: number): FeedFailing {
  const { reason, tries, sinceAtMs, againAtMs } = failing;
  return {
    ...(showsReasons && { reason }),
    tries,
    ...(sinceAtMs !== undefined && { since: isoOf(sinceAtMs) }),
    ...(againAtMs !== undefined && { again_in_ms: Math.max(0, againAtMs - nowMs) }),
  };
}

function unansweredOf(letter: DeadLetter, { showsReasons }: Reader): FeedUnanswered {
  const { id, atMs, messages, attempts, reason } = letter;
  const told = { at: isoOf(atMs), message_ids: messages.map(pagesIdOf), attempts };
  return showsReasons ? { id, ...told, reason } : told;
}

function waitingMessage(message: StagedMessage): FeedWaiting {
  return { id: pagesIdOf(message), text: message.text, at: isoOf(message.arrivedAtMs) };
}

type FeedState = Pick<Feed, "state" | "answering_since" | "due_in_ms">;

function stateOf(detail: ConversationDetail, settings: Settings, nowMs: number): FeedState {
  const { state, answeringSinceAtMs, dueAtMs } = activityOf(detail, settings, nowMs);
  return {
    state,
    ...(answeringSinceAtMs !== undefined && { answering_since: isoOf(answeringSinceAtMs) }),
    ...(dueAtMs !== undefined && { due_in_ms: Math.max(0, dueAtMs - nowMs) }),
  };
}

/** `n` grows with every message, by its time: it stays the same when a long history is cut at its old end. */
function numbered(messages: readonly HistoryMessage[]): FeedMessage[] {
  let last = 0;
  return messages.map(({ role, text: words, media, atMs, turnId }) => {
    last = Math.max(atMs, last + 1);
    // The page shows words only: what is attached is there as its address.
    const text = [words, ...media.map(({ url }) => url)].filter((line) => line !== "").join("\n");
    return { n: last, role, text, at: isoOf(atMs), turn_id: turnId };
  });
}

function newest(turns: readonly TurnRecord[]): TurnRecord[] {
  return [...turns].sort((a, b) => a.committedAtMs - b.committedAtMs).slice(-TURNS_MAX);
}

function publicTurn(turn: TurnRecord): FeedTurn {
  return {
    turn_id: turn.turnId,
    outcome: turn.outcome,
    message_ids: turn.messageIds,
    attempts: turn.attempts,
    opened_at: isoOf(turn.openedAtMs),
    due_at: isoOf(turn.dueAtMs),
    taken_at: isoOf(turn.takenAtMs),
    committed_at: isoOf(turn.committedAtMs),
  };
}
