import { mergeTexts } from "../core/batch.ts";
import { channelOf } from "../core/new-draft.ts";
import type { Answer } from "../core/reply.ts";
import { LullError } from "../errors.ts";
import type { HistoryMessage } from "../model/history.ts";
import type { Media } from "../model/message.ts";
import type { Taken } from "../model/take.ts";
import type { Clock } from "../ports/clock.ts";
import type { Engine } from "../ports/engine.ts";
import type { Responder, Turn } from "../ports/responder.ts";
import { asOutage } from "./persist.ts";
import { readReply } from "./read-reply.ts";
import { type Watch, waitFor, whenAborted } from "./wait-for.ts";

/** What asking a responder led to. Everything but an answer is a value too: the turn decides what follows. */
export type Asked =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "lost" }
  | { readonly kind: "newer" }
  | { readonly kind: "stopping" };

export interface Asking {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly answerTimeoutMs: number;
  readonly historyMessagesMax: number;
  readonly historyBytesMax: number;
  readonly lost: AbortSignal;
  readonly stopping: AbortSignal;
  /** What the responder has to say about the turn itself. */
  readonly note: (code: string) => void;
  /** Resolves when newer messages call for a restart. Left out where the policy does not want one. */
  readonly newer?: (signal: AbortSignal) => Promise<boolean>;
}

/**
 * Asks, and stops waiting when the answer is out of time or no longer wanted: a responder may never return.
 */
export async function ask(asking: Asking, responder: Responder, taken: Taken): Promise<Asked> {
  const ended = new AbortController();
  const { lost, stopping, newer } = asking;
  const asked = await waitFor(answerOf(responder, turnFor(asking, taken, ended.signal)), [
    whenAborted(lost, (): Asked => ({ kind: "lost" })),
    whenAborted(stopping, (): Asked => ({ kind: "stopping" })),
    whenOutOfTime(asking),
    ...(newer ? [whenNewer(newer, ended.signal)] : []),
  ]);
  // With an answer at hand the signal has no listener that matters. A reason of our own avoids the error with
  // a stack that an abort makes by default.
  ended.abort(asked.kind === "answered" ? "answered" : undefined);
  return asked;
}

async function answerOf(responder: Responder, turn: Turn): Promise<Asked> {
  try {
    return { kind: "answered", answer: readReply(await responder(turn)) };
  } catch (error) {
    return { kind: "failed", error };
  }
}

function whenOutOfTime({ clock, answerTimeoutMs }: Asking): Watch<Asked> {
  return (end) =>
    clock.after(answerTimeoutMs, () => {
      const message = `the responder gave no answer within ${answerTimeoutMs / 1_000} s`;
      end({ kind: "failed", error: new LullError(message, { code: "ANSWER_TIMEOUT", retry: "later" }) });
    });
}

function whenNewer(newer: NonNullable<Asking["newer"]>, ended: AbortSignal): Watch<Asked> {
  return (end) => {
    void newer(ended).then((isNewer) => isNewer && end({ kind: "newer" }));
    // The watch sees by the signal that the wait is over.
    return () => {};
  };
}

function turnFor(asking: Asking, taken: Taken, signal: AbortSignal): Turn {
  const { messages, conversation } = taken;
  return {
    id: taken.turnId,
    attempt: taken.attempt,
    channel: channelOf(taken),
    messages: messages.map(({ id, text, media, arrivedAtMs, sentAtMs, fields }) => ({
      id,
      text,
      media: copies(media),
      arrivedAtMs,
      ...(sentAtMs !== undefined && { sentAtMs }),
      ...(fields && { fields: { ...fields } }),
    })),
    text: mergeTexts(messages),
    media: messages.flatMap(({ media }) => copies(media)),
    conversation: { ...conversation },
    history: (messagesMax = asking.historyMessagesMax) => historyFor(asking, taken, countOf(messagesMax)),
    note: (code) => asking.note(/^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : "UNREADABLE_NOTE"),
    signal,
  };
}

async function historyFor(
  { engine, historyMessagesMax, historyBytesMax }: Asking,
  { conversation, history: brought }: Taken,
  messagesMax: number,
): Promise<readonly HistoryMessage[]> {
  if (brought && messagesMax <= historyMessagesMax)
    return brought.slice(Math.max(0, brought.length - messagesMax)).map((each) => ({ ...each }));
  try {
    return await engine.conversations.history(conversation.id, messagesMax, historyBytesMax);
  } catch (error) {
    throw asOutage(error);
  }
}

/** A responder may do with them what it likes: what is written down is what the customer sent. */
function copies(media: readonly Media[]): Media[] {
  return media.map((each) => ({ ...each }));
}

/** `Infinity` and `NaN` both mean "as many as there are". */
function countOf(messagesMax: number): number {
  if (Number.isNaN(messagesMax)) return HISTORY_MAX;
  return Math.min(Math.max(0, Math.floor(messagesMax)), HISTORY_MAX);
}

const HISTORY_MAX = 1_000_000;
