import type { Settings } from "../model/settings.ts";
import { cutBatch } from "./batch.ts";
import { deadLetter, NOT_FOUND } from "./dead-letters.ts";
import { arrivalsOf, dueOfMessages } from "./due.ts";
import type { Found, StagedItem, Taker, WaitingSpan } from "./found.ts";
import { pauseOf } from "./pause.ts";
import { projectHoldMs } from "./project-hold.ts";
import { type ConversationState, countedOf, type Window, type Work, windowAt } from "./state.ts";
import { armAt, hold, type TakeDecision, wait } from "./take-decision.ts";
import { windowInForce } from "./window.ts";

/** BATCH: what of all that waits is the next turn, or when it will be. */
export function takeBatch(
  found: Found,
  window: Window | undefined,
  taker: Taker,
  settings: Settings,
): TakeDecision {
  const { state, staged, conversation } = found;
  const spent = state.works.find((work) => countedOf(work) >= settings.attemptsMax);
  if (spent) return deadLetter(state, spent);
  if (staged.length === 0) return { kind: "nothing" };
  if (conversation === undefined) {
    // While it is paused, the record may still be made for what waits.
    const lost = pauseOf(found) ? staged.filter(({ kind }) => kind === "outbound") : staged;
    if (lost.length === 0) return waitPaused(found, window, taker, settings);
    return {
      kind: "dead-letter",
      messageIds: lost.map(({ id }) => id),
      turnId: undefined,
      attempts: 0,
      reason: NOT_FOUND,
      state: { ...state, works: [] },
    };
  }
  const outbound = staged.find(({ kind }) => kind === "outbound");
  const standing = { ...state, window };
  const notBeforeAtMs = state.notBeforeAtMs ?? 0;
  // A pause is the batch's, unless this outbound itself failed: what a human says does not wait for a model.
  const isFailing = state.works.some(({ messageIds }) => outbound && messageIds.includes(outbound.id));
  if (outbound && (!isFailing || taker.nowMs >= notBeforeAtMs))
    return {
      ...takeOutbound(state, outbound, conversation.id, taker, settings),
      ...(pauseOf(found) && { isPaused: true }),
    };
  const messages = staged.filter(({ kind }) => kind === "message");
  if (messages.length === 0) return wait(standing, notBeforeAtMs, taker);
  if (pauseOf(found)) {
    // An outbound that backs off is not paused.
    return outbound ? wait(standing, notBeforeAtMs, taker) : waitPaused(found, window, taker, settings);
  }
  const { span } = found;
  const arrivals = span ? arrivalsOf(span) : messages;
  const policy = windowInForce(settings, conversation, found.newestChannel);
  const due = dueOfMessages(arrivals, state, policy, { ...taker, ...settings });
  if (taker.nowMs < due) return armAt(state, due, taker);
  const how = { due, recordId: conversation.id, span };
  return takeMessages(state, messages, how, taker, settings);
}

/**
 * While everything is paused no worker looks, so the wake-up stays due and resuming finds it. Resuming a
 * project wakes what is noted as held for it. There may be thousands: looks in between are few, so that they
 * keep no other project waiting, and spread. They are for what a crash left held.
 */
function waitPaused(
  { state, allPaused, pausedProject: heldFor }: Found,
  window: Window | undefined,
  taker: Taker,
  { holdMs }: Settings,
): TakeDecision {
  const { nowMs, windowId, token } = taker;
  if (allPaused) return wait({ ...state, window }, nowMs, taker);
  if (heldFor === undefined) return wait({ ...state, window }, nowMs + holdMs, taker);
  // What waits is due, though no worker looks yet: going on finds it by that.
  const due = window ?? windowAt(undefined, windowId, nowMs);
  return wait({ ...state, window: due, heldFor }, nowMs + projectHoldMs(token), taker);
}

function takeOutbound(
  state: ConversationState,
  outbound: StagedItem,
  recordId: string,
  taker: Taker,
  settings: Settings,
): Extract<TakeDecision, { kind: "turn" }> {
  const known = state.works.find(({ messageIds }) => messageIds.includes(outbound.id));
  const { arrivedAtMs } = outbound;
  const work =
    known ?? newWork(recordId, [outbound.id], { openedAtMs: arrivedAtMs, dueAtMs: arrivedAtMs }, taker);
  const taken = hold(state, "outbound", { ...work, attempts: work.attempts + 1 }, taker, settings);
  // The pause of the batch that failed beside it goes on.
  const kept = known === undefined ? { notBeforeAtMs: state.notBeforeAtMs } : {};
  return { ...taken, state: { ...taken.state, ...kept } };
}

function takeMessages(
  state: ConversationState,
  messages: readonly StagedItem[],
  how: { readonly due: number; readonly recordId: string; readonly span: WaitingSpan | undefined },
  taker: Taker,
  settings: Settings,
): TakeDecision {
  const { due, recordId, span } = how;
  const ids = new Set(messages.map(({ id }) => id));
  const known = state.works.find(({ messageIds }) => messageIds.some((id) => ids.has(id)));
  const { batch, cut } = cutBatch(messages, settings, new Set(known?.messageIds), span);
  const batchIds = batch.map(({ id }) => id);
  const openedAtMs = Math.min(...batch.map(({ arrivedAtMs }) => arrivedAtMs));
  const work = known ?? newWork(recordId, batchIds, { openedAtMs, dueAtMs: due }, taker);
  const tried: Work = {
    ...work,
    recordId,
    // Nothing has failed yet (a restart): messages that joined now are counted from the start.
    messageIds: work.attempts === 0 ? batchIds : work.messageIds,
    batchIds,
    openedAtMs,
    dueAtMs: due,
    attempts: work.attempts + 1,
  };
  const left: ConversationState = { ...state, leftBehindAtMs: cut ? taker.nowMs : undefined };
  return hold(left, "batch", tried, taker, settings);
}

function newWork(
  recordId: string,
  ids: readonly string[],
  times: Pick<Work, "openedAtMs" | "dueAtMs">,
  taker: Taker,
): Work {
  return {
    turnId: taker.turnIdOf(ids),
    recordId,
    messageIds: ids,
    batchIds: ids,
    attempts: 0,
    restarts: 0,
    ...times,
    takenAtMs: taker.nowMs,
  };
}
