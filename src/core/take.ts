import type { Conversation } from "../model/conversation.ts";
import type { Settings } from "../model/settings.ts";
import { type Batchable, cutBatch } from "./batch.ts";
import {
  type DeadLetterDecision,
  deadLetter,
  deadLetterLost,
  NO_LATE_ANSWER,
  NOT_FOUND,
} from "./dead-letters.ts";
import { type DraftAction, nextDraftAction } from "./draft.ts";
import { arrivalsOf, dueOfMessages } from "./due.ts";
import { decideElsewhere } from "./elsewhere.ts";
import { isHeld, newLease } from "./lease.ts";
import { pauseOf } from "./pause.ts";
import { projectHoldMs } from "./project-hold.ts";
import { failingSinceAtMs, isOutageOver } from "./retry.ts";
import {
  type ConversationState,
  countedOf,
  type Elsewhere,
  onEarlierClock,
  type Window,
  type Work,
  windowAt,
  withOutage,
  withoutFarTimes,
  withWork,
  workOf,
} from "./state.ts";
import { windowInForce } from "./window.ts";

/** A staged item as the decision sees it. */
export interface StagedItem extends Batchable {
  readonly kind: "message" | "outbound";
}

/** What has to be known of all waiting messages if not all of them were read. */
export interface WaitingSpan {
  readonly messages: number;
  readonly oldestArrivalAtMs: number;
  readonly newestArrivalAtMs: number;
  /** Whether every message has a provider's time. */
  readonly byProvider: boolean;
}

/** What a wake-up finds. */
export interface Found {
  readonly state: ConversationState;
  /** Everything staged. With `span`: what was tried, then as many of the first messages as a batch holds. */
  readonly staged: readonly StagedItem[];
  readonly span?: WaitingSpan;
  /** The channel of the message that was staged last. */
  readonly newestChannel?: string | undefined;
  /** Undefined when the conversation's record does not exist. */
  readonly conversation:
    | Pick<Conversation, "id" | "paused" | "handedOff" | "window" | "updatedAtMs">
    | undefined;
  /** Its record says that it is being processed, and that was not written by us. */
  readonly isElsewhere?: boolean;
  /** Answering is paused everywhere. */
  readonly allPaused?: boolean;
  /** The project of its messages, if answering is paused for it. */
  readonly pausedProject?: string | undefined;
}

/**
 * The worker that looks, when, and the ids it would use. The caller makes the ids, so that it recognises its
 * own write if the store's answer is lost.
 */
export interface Taker {
  readonly nowMs: number;
  /**
   * What the worker's clock shows, if `nowMs` is an earlier moment: long before, if the worker was frozen.
   * Default: `nowMs`.
   */
  readonly clockMs?: number;
  readonly holder: string;
  readonly token: string;
  /** The id of a new turn of these messages. */
  readonly turnIdOf: (messageIds: readonly string[]) => string;
  readonly windowId: string;
  /** Set if the taker already holds the lease. */
  readonly underLease?: boolean;
}

export type TakeDecision =
  | { readonly kind: "busy"; readonly untilAtMs: number }
  | { readonly kind: "nothing" }
  | {
      readonly kind: "later";
      readonly atMs: number;
      readonly state: ConversationState;
      /** Set if it is put off because another system processes the conversation; `isFirst`: from now on. */
      readonly elsewhere?: Elsewhere & { readonly isFirst: boolean };
    }
  | DeadLetterDecision
  | {
      readonly kind: "turn";
      /** It starts although another system says that it processes the conversation: for too long. */
      readonly isOverStale?: true;
      readonly what: "batch" | "outbound" | "draft";
      readonly work: Work;
      readonly state: ConversationState;
    };

/**
 * How a turn begins, as one decision: LEASE, DRAFT?, DISARM, BATCH. The engine carries it out in one step
 * where it can. After "dead-letter" the engine asks again: what is left may be due.
 */
export function decideTake(found: Found, taker: Taker, settings: Settings): TakeDecision {
  const decision = decideAlone(found, taker, settings);
  if (decision.kind === "busy" || decision.kind === "nothing") return decision;
  const { conversation, isElsewhere } = found;
  if (!settings.honourStatus || !conversation || !isElsewhere) return withoutNote(decision, taker);
  // Not due, or paused: it does not wait for the other system.
  if (decision.kind === "later") return withoutNote(decision, taker);
  // Nothing of the other system's may change while it has the conversation, not even by a dead letter.
  const putOffMs = putOffOf(decision, found.state);
  const decided = decideElsewhere(conversation, { ...found.state, putOffMs }, taker.nowMs, settings);
  if (decided.kind === "stale")
    return withoutNote(decision.kind === "turn" ? { ...decision, isOverStale: true } : decision, taker);
  const { elsewhere, againAtMs, isFirst } = decided;
  return { ...wait({ ...found.state, elsewhere }, againAtMs, taker), elsewhere: { ...elsewhere, isFirst } };
}

/** For how long what is decided about was put off before. */
function putOffOf(
  decision: Extract<TakeDecision, { kind: "turn" | "dead-letter" }>,
  state: ConversationState,
): number {
  const { turnId } = decision.kind === "turn" ? decision.work : decision;
  const known = turnId === undefined ? undefined : workOf(state, turnId);
  return known?.putOffMs ?? 0;
}

/** It waits no longer. What was tried keeps for how long it did: between all its tries that has an end. */
function withoutNote<D extends Exclude<TakeDecision, { kind: "busy" | "nothing" }>>(
  decision: D,
  { nowMs }: Taker,
): D {
  const { elsewhere, works } = decision.state;
  if (elsewhere === undefined) return decision;
  const waitedMs = Math.max(nowMs - elsewhere.waitingSinceAtMs, 0);
  const noted = (work: Work): Work => ({ ...work, putOffMs: (work.putOffMs ?? 0) + waitedMs });
  const state = { ...decision.state, works: works.map(noted), elsewhere: undefined };
  return { ...decision, state, ...(decision.kind === "turn" && { work: noted(decision.work) }) };
}

/** As if there were no other system. */
function decideAlone(found: Found, taker: Taker, settings: Settings): TakeDecision {
  const { lease } = found.state;
  if (!taker.underLease && isHeld(lease, taker.nowMs, settings.clockSkewMs)) {
    return { kind: "busy", untilAtMs: lease.untilAtMs };
  }
  // Compared with the clock's own time: against an earlier `nowMs`, all that came since would lie ahead.
  const nowMs = taker.clockMs ?? taker.nowMs;
  const { clockSkewMs } = settings;
  const noted = { ...found.state, heldFor: undefined };
  const asRead = withoutFarTimes(onEarlierClock(noted, { nowMs, clockSkewMs }), nowMs);
  const state = found.conversation?.handedOff ? notAwaiting(asRead) : asRead;
  if (state.draft) {
    if (found.conversation === undefined) return deadLetterLost(state);
    const decision = continueDraft(state, taker, settings);
    if (decision) return decision;
  }
  // DISARM before BATCH: a message that arrives from here on finds no window and arms its own.
  const disarmed: ConversationState = { ...withoutLateDraft(state, taker), window: undefined };
  return takeBatch({ ...found, state: disarmed }, state.window, taker, settings);
}

/** Whether a look goes on with a draft, or for its answer, which is still awaited. */
export function continuesDraft({ draft }: ConversationState, nowMs: number): boolean {
  return draft !== undefined && nowMs < (draft.awaitingUntilAtMs ?? Number.POSITIVE_INFINITY);
}

/** Undefined if a late answer did not come: then the responder is asked again, as after any outage. */
function continueDraft(state: ConversationState, taker: Taker, settings: Settings): TakeDecision | undefined {
  const draft = state.draft!;
  const work = workOf(state, draft.turnId);
  if (!continuesDraft(state, taker.nowMs))
    // A late answer that does not come is an outage of its responder.
    return work && isOutageOver(work, taker.nowMs, settings)
      ? deadLetter(state, { ...work, lastError: NO_LATE_ANSWER })
      : undefined;
  if (draft.awaitingUntilAtMs !== undefined) return wait(state, draft.awaitingUntilAtMs, taker);
  const readyAtMs = state.notBeforeAtMs ?? 0;
  if (taker.nowMs < readyAtMs) return wait(state, readyAtMs, taker);
  if (work === undefined) throw new Error(`draft of turn ${draft.turnId} has no work`);
  if (isSpent(work, nextDraftAction(draft, settings), settings)) return deadLetter(state, work);
  return hold(state, "draft", { ...work, attempts: work.attempts + 1 }, taker, settings);
}

/**
 * Out of attempts, what is still to be sent is dead-lettered. What was sent, or may have been, is asked about
 * and committed instead: as a dead letter it would be retried, and the customer answered twice. If asking,
 * too, ends with the process every time, it becomes a dead letter after twice as many attempts.
 */
function isSpent(work: Work, { kind }: DraftAction, { attemptsMax }: Settings): boolean {
  return countedOf(work) >= (kind === "send" ? attemptsMax : 2 * attemptsMax);
}

/** A human has the conversation: an awaited answer would not be sent, so it is no longer awaited. */
function notAwaiting(state: ConversationState): ConversationState {
  if (state.draft?.awaitingUntilAtMs === undefined) return state;
  return { ...state, draft: undefined, notBeforeAtMs: undefined };
}

function withoutLateDraft(state: ConversationState, { nowMs }: Taker): ConversationState {
  const { draft } = state;
  const work = draft && workOf(state, draft.turnId);
  if (!work) return state;
  // Without a start of the outage, a responder that never answers would be asked for ever.
  const failed = withOutage({ ...work, lastError: NO_LATE_ANSWER }, failingSinceAtMs(work, nowMs));
  return { ...withWork(state, failed), draft: undefined };
}

function takeBatch(found: Found, window: Window | undefined, taker: Taker, settings: Settings): TakeDecision {
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
    return takeOutbound(state, outbound, conversation.id, taker, settings);
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
 * keep no other project waiting, and spread. They are for what a crash, or a new configuration, left held.
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
): TakeDecision {
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

function hold(
  state: ConversationState,
  what: "batch" | "outbound" | "draft",
  work: Work,
  taker: Taker,
  settings: Settings,
): Extract<TakeDecision, { kind: "turn" }> {
  const taken: Work = { ...withoutIdleTime(work, state.notBeforeAtMs, taker), takenAtMs: taker.nowMs };
  const lease = newLease(taker, settings, taken.turnId);
  // A draft is continued with the window left standing: its messages are not in this turn.
  const held = { ...withWork(state, taken), lease, notBeforeAtMs: undefined };
  return { kind: "turn", what, work: taken, state: held };
}

/** The outage's start moves by the time in which no try could have seen its end: a pause, a stop. */
function withoutIdleTime(work: Work, readyAtMs: number | undefined, { nowMs }: Taker): Work {
  const { failingSinceAtMs: since } = work;
  if (since === undefined || readyAtMs === undefined || readyAtMs >= nowMs) return work;
  return { ...work, failingSinceAtMs: Math.min(since + nowMs - readyAtMs, nowMs) };
}

/** No worker takes it until then. The window keeps its id and due time, or a new one is made. */
function wait(
  state: ConversationState,
  atMs: number,
  taker: Taker,
): Extract<TakeDecision, { kind: "later" }> {
  const window = windowAt(state.window, taker.windowId, atMs);
  return { kind: "later", atMs, state: { ...state, window, lease: undefined } };
}

/** The due time moved (another message in a quiet window, an early trigger): a new window stands then. */
function armAt(state: ConversationState, atMs: number, taker: Taker): TakeDecision {
  return wait({ ...state, window: undefined }, atMs, taker);
}
