import type { Draft } from "../model/draft.ts";
import { CLOCK_SET_BACK_MS_MIN, WAIT_MS_MAX } from "./defaults.ts";
import { draftOnEarlierClock, endSending } from "./draft.ts";
import type { LeaseState } from "./lease.ts";

/** A wake-up is on its way. `dueAtMs` stays if it moves: the longest waiting goes first. */
export interface Window {
  readonly id: string;
  readonly dueAtMs: number;
  /** When a worker looks: the due time, or later while something has to pass first. */
  readonly wakeAtMs: number;
}

/** A worker looks then. The window that stands keeps its id and due time, or one is made. */
export function windowAt(standing: Window | undefined, id: string, wakeAtMs: number): Window {
  return { id: standing?.id ?? id, dueAtMs: standing?.dueAtMs ?? wakeAtMs, wakeAtMs };
}

/** Counted when the lease is taken, so that a turn that kills its process is counted. */
export interface Tries {
  /** How often it was tried, the running attempt included. */
  readonly attempts: number;
  /** Attempts that ended in an outage: they are limited by time, not by number. The others count. */
  readonly outages?: number;
  /** Of those that count, the attempts that ended with an error; the others ended with their process. */
  readonly errors?: number;
  /** Since when attempts have ended in an outage. Starts anew once there is a draft. */
  readonly failingSinceAtMs?: number;
  readonly restarts: number;
  readonly lastError?: string;
}

/** A turn that was taken and is not committed yet. */
export interface Work extends Tries {
  readonly turnId: string;
  /** The conversation's own id. In a row of 0.1.0, a turn of on-turn messages may name another one here. */
  readonly recordId: string;
  /** The messages whose attempts are counted. Newer ones may join a later try, uncounted. */
  readonly messageIds: readonly string[];
  /** The messages of the running try. */
  readonly batchIds: readonly string[];
  readonly openedAtMs: number;
  readonly dueAtMs: number;
  readonly takenAtMs: number;
  /** With `honourStatus`: for how long it was put off so far, between all its tries. */
  readonly putOffMs?: number;
}

/** What a look noted of another system that processes the conversation. */
export interface Elsewhere {
  /** When that was first found. */
  readonly sinceAtMs: number;
  /** When the record had last been changed: another time is another processing. Never reckoned with. */
  readonly recordAtMs: number;
  /** Since when a turn is put off for it, through all that the other system did meanwhile. */
  readonly waitingSinceAtMs: number;
}

/** All of a conversation that is not in its record: window, lease, draft, attempts. Absent at rest. */
export interface ConversationState {
  readonly window?: Window | undefined;
  readonly lease?: LeaseState | undefined;
  /** One for the batch, and one for an outbound that failed beside it. */
  readonly works: readonly Work[];
  readonly draft?: Draft | undefined;
  readonly notBeforeAtMs?: number | undefined;
  /** Messages that arrived until then were left behind by a batch limit: they are due at once. */
  readonly leftBehindAtMs?: number | undefined;
  /** With `honourStatus`: another system was found to process the conversation. */
  readonly elsewhere?: Elsewhere | undefined;
  /** The paused project that it waits for: resuming that wakes it. */
  readonly heldFor?: string | undefined;
  /** The turn whose busy text was sent: the customer is told once over all its attempts. */
  readonly busyToldTurnId?: string | undefined;
  /**
   * Set since it is on record that too many messages wait: whether the customer was told. Both are done once,
   * until a message leaves.
   */
  readonly fullTold?: boolean | undefined;
}

export const AT_REST: ConversationState = { works: [] };

export function workOf(state: ConversationState, turnId: string): Work | undefined {
  return state.works.find((work) => work.turnId === turnId);
}

/** The attempts that count towards `attemptsMax`: a crash or an unclassified error ended them. */
export function countedOf({ attempts, outages = 0 }: Pick<Tries, "attempts" | "outages">): number {
  return attempts - outages;
}

/** One more attempt, that ended in an outage. */
export function withOutage({ attempts, outages = 0, ...work }: Work, sinceAtMs: number): Work {
  return { ...work, attempts: attempts + 1, outages: outages + 1, failingSinceAtMs: sinceAtMs };
}

export function withWork(state: ConversationState, work: Work): ConversationState {
  return { ...state, works: [...state.works.filter(({ turnId }) => turnId !== work.turnId), work] };
}

export function withoutWork(state: ConversationState, turnId: string): ConversationState {
  return { ...state, works: state.works.filter((work) => work.turnId !== turnId) };
}

/** A dead holder's lease has ended on every process's clock. Its sends begin to settle. */
export function afterHolderDied(
  state: ConversationState,
  { nowMs, clockSkewMs }: { readonly nowMs: number; readonly clockSkewMs: number },
): ConversationState {
  const lease = state.lease && {
    ...state.lease,
    untilAtMs: Math.min(state.lease.untilAtMs, nowMs - clockSkewMs),
  };
  return { ...state, lease, draft: state.draft && endSending(state.draft, nowMs) };
}

/** Since when something is due that had to wait for this lease: it was not due when the lease was taken. */
export function keptWaitingSinceMs({ window, lease }: ConversationState, nowMs: number): number | undefined {
  if (!window || !lease || window.dueAtMs <= lease.takenAtMs) return undefined;
  return window.dueAtMs <= nowMs ? window.dueAtMs : undefined;
}

/** The clock was set back: no lease lasts longer than `leaseMs`, and a window that lies ahead is due now. */
export function afterClockSetBack(
  state: ConversationState,
  { nowMs, leaseMs }: { readonly nowMs: number; readonly leaseMs: number },
): ConversationState {
  const { window, lease } = state;
  const isTooLong = lease !== undefined && lease.untilAtMs > nowMs + leaseMs;
  const isAhead = window !== undefined && window.wakeAtMs > nowMs;
  if (!isTooLong && !isAhead) return state;
  return {
    ...state,
    lease: isTooLong ? { ...lease, untilAtMs: nowMs + leaseMs } : lease,
    window: isAhead ? { ...window, wakeAtMs: nowMs } : window,
  };
}

/**
 * A taken or drafted time lies ahead: the clock was set back since. Every pause counts as over, a late answer
 * is awaited for as long as was promised, and a send begins to settle now.
 */
export function onEarlierClock(
  state: ConversationState,
  { nowMs, clockSkewMs }: { readonly nowMs: number; readonly clockSkewMs: number },
): ConversationState {
  const isAhead = (atMs: number | undefined) =>
    atMs !== undefined && atMs > nowMs + clockSkewMs + CLOCK_SET_BACK_MS_MIN;
  const { draft, works } = state;
  if (!isAhead(draft?.draftedAtMs) && !works.some(({ takenAtMs }) => isAhead(takenAtMs))) return state;
  return {
    ...state,
    works: works.map((work) => (isAhead(work.takenAtMs) ? { ...work, takenAtMs: nowMs } : work)),
    draft:
      draft && (isAhead(draft.draftedAtMs) ? draftOnEarlierClock(draft, nowMs) : endSending(draft, nowMs)),
    notBeforeAtMs: undefined,
    leftBehindAtMs: undefined,
  };
}

/** No worker waits that long: a wrong clock or a foreign system wrote the time. It counts as passed. */
export function withoutFarTimes(state: ConversationState, nowMs: number): ConversationState {
  const { draft, notBeforeAtMs } = state;
  const pause = isFar(notBeforeAtMs, nowMs) ? { notBeforeAtMs: undefined } : {};
  const soon = draft && draftWithoutFarTimes(draft, nowMs);
  return "notBeforeAtMs" in pause || soon !== draft ? { ...state, ...pause, draft: soon } : state;
}

function draftWithoutFarTimes(draft: Draft, nowMs: number): Draft {
  const isAwaited = isFar(draft.awaitingUntilAtMs, nowMs);
  const isSending = draft.chunks.some(
    ({ state }) => state.kind === "sending" && isFar(state.sendByAtMs, nowMs),
  );
  if (!isAwaited && !isSending) return draft;
  return { ...endSending(draft, nowMs), ...(isAwaited && { awaitingUntilAtMs: nowMs }) };
}

export function isFar(atMs: number | undefined, nowMs: number): boolean {
  return atMs !== undefined && atMs > nowMs + WAIT_MS_MAX;
}

/** When a worker has to look at this conversation. A leased one: when its lease may have lapsed. */
export function wakeAtMs(state: ConversationState): number | undefined {
  return state.lease ? state.lease.untilAtMs : state.window?.wakeAtMs;
}

export function isAtRest(state: ConversationState): boolean {
  return !state.window && !state.lease && !state.draft && state.works.length === 0;
}
