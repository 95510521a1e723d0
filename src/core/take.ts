import type { Settings } from "../model/settings.ts";
import { deadLetter, deadLetterLost, NO_LATE_ANSWER } from "./dead-letters.ts";
import { type DraftAction, nextDraftAction } from "./draft.ts";
import { decideElsewhere } from "./elsewhere.ts";
import type { Found, Taker } from "./found.ts";
import { isHeld } from "./lease.ts";
import { failingSinceAtMs, isOutageOver } from "./retry.ts";
import {
  type ConversationState,
  countedOf,
  onEarlierClock,
  type Work,
  withOutage,
  withoutFarTimes,
  withWork,
  workOf,
} from "./state.ts";
import { takeBatch } from "./take-batch.ts";
import { hold, type TakeDecision, wait } from "./take-decision.ts";

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
