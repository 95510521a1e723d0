import { keepSent } from "../../../core/draft.ts";
import { acceptedMeanwhile, isSilence } from "../../../core/late-answer.ts";
import { afterRelease } from "../../../core/release.ts";
import { type ConversationState, triesOf, type Work, withoutWork, workOf } from "../../../core/state.ts";
import { arrivalsOf, deadLetteredWith } from "../../../core/take.ts";
import { inBatchOrder } from "../../../core/taken.ts";
import { mayRestart } from "../../../core/turn.ts";
import { windowInForce } from "../../../core/window.ts";
import type { Commit } from "../../../model/commit.ts";
import type { Draft } from "../../../model/draft.ts";
import type { Lease } from "../../../model/lease.ts";
import type { ReleaseReason } from "../../../model/release.ts";
import type {
  CommitOutcome,
  DraftOutcome,
  MarkOutcome,
  Renewal,
  WriteOutcome,
} from "../../../ports/engine.ts";
import { clockOf, heldState, type StepContext, saveState } from "../context.ts";
import type { StagedSpan } from "../tables.ts";
import { deadLetter } from "./dead-letter.ts";
import { recordTurn } from "./record-turn.ts";
import { takeMore } from "./take.ts";

const LOST: WriteOutcome = { kind: "lost" };

export function renew(context: StepContext, lease: Lease): Renewal {
  const state = heldState(context, lease);
  if (!state) return LOST;
  const renewed = extended(context, state);
  saveState(context, lease.conversationId, renewed);
  return { kind: "renewed", lease: leaseFrom(lease, renewed) };
}

export function hasNewer(context: StepContext, lease: Lease): boolean {
  const state = heldState(context, lease);
  return state !== undefined && canJoin(context, lease, state);
}

/** DRAFT, on condition that no human took over and, with `restart`, that nothing newer is staged. */
export function draft(
  context: StepContext,
  { lease, draft: written }: { lease: Lease; draft: Draft },
): DraftOutcome {
  const state = heldState(context, lease);
  if (!state) return LOST;
  const work = workUnder(state);
  const isAnswer = written.author === undefined;
  if (isAnswer && isHandedOff(context, state)) return { kind: "handed-off" };
  if (isAnswer && mayRestart(context.settings, work) && canJoin(context, lease, state))
    return { kind: "newer" };
  return marked(context, lease, state, acceptedMeanwhile(state, work.turnId) ?? written, "drafted");
}

export function mark(
  context: StepContext,
  { lease, draft: written }: { lease: Lease; draft: Draft },
): MarkOutcome {
  const state = heldState(context, lease);
  if (!state) return LOST;
  if (written.author === undefined && isHandedOff(context, state)) return { kind: "handed-off" };
  return marked(context, lease, state, written, "marked");
}

function marked<K extends "drafted" | "marked">(
  context: StepContext,
  lease: Lease,
  state: ConversationState,
  written: Draft,
  kind: K,
): { kind: K; lease: Lease; draft: Draft } {
  const known = keepSent(state.draft, written);
  const renewed = extended(context, { ...state, draft: known });
  saveState(context, lease.conversationId, renewed);
  return { kind, lease: leaseFrom(lease, renewed), draft: known };
}

/**
 * One atomic write: both sides of the turn, the batch removed from staged, its ids remembered, draft and
 * attempts cleared, the lease released.
 */
export function commit(
  context: StepContext,
  { lease, commit: what }: { lease: Lease; commit: Commit },
): CommitOutcome {
  const state = heldState(context, lease);
  if (!state) return LOST;
  const work = workUnder(state);
  if (isSilence(what) && acceptedMeanwhile(state, work.turnId)) return { kind: "answered" };
  const { tables, nowMs, settings } = context;
  const final = what.draft && keepSent(state.draft, what.draft);
  const batch = tables.staged.of(lease.conversationId, work.batchIds);
  const messages = inBatchOrder(work, batch);
  recordTurn(context, { work, commit: what, draft: final, messages, nowMs });
  tables.staged.remove(lease.conversationId, work.batchIds);
  const ids = batch.map(({ id }) => id);
  tables.remembered.add(ids, "committed", nowMs + settings.dedupeMs);
  const after: ConversationState = {
    ...withoutWork(state, work.turnId),
    draft: undefined,
    busyToldTurnId: undefined,
    fullTold: undefined,
  };
  if (what.more) {
    tables.states.put(lease.conversationId, after);
    return { kind: "committed", next: takeMore(context, lease.conversationId) };
  }
  saveState(context, lease.conversationId, { ...after, lease: undefined });
  return { kind: "committed" };
}

/** Window, trigger and release in one step: at every moment a window or a lease stands. */
export function release(
  context: StepContext,
  { lease, how }: { lease: Lease; how: ReleaseReason },
): { kind: "released"; deadLetterId?: string } | WriteOutcome {
  const state = heldState(context, lease);
  if (!state) return LOST;
  const work = workUnder(state);
  const id = lease.conversationId;
  if (how.kind === "dead-letter") {
    const draft = how.draft ? keepSent(state.draft, how.draft) : state.draft;
    const messageIds = deadLetteredWith(work, draft);
    const content = { messageIds, turnId: work.turnId, attempts: triesOf(work), reason: how.reason, draft };
    const after = freed(context, id, state, work, messageIds.length);
    return { kind: "released", deadLetterId: deadLetter(context, id, content, after) };
  }
  const conversation = context.tables.conversations.get(work.recordId);
  const newer = how.kind === "restart" ? newerThan(context, lease, work) : undefined;
  const policy = windowInForce(context.settings, conversation, newer?.newestChannel);
  const arrivals = newer ? arrivalsOf(newer) : [];
  const releasing = { state, work, newer: arrivals, policy, ...clockOf(context), windowId: context.newId() };
  saveState(context, id, afterRelease(releasing, how));
  return { kind: "released" };
}

/** The state without the dead-lettered work. What is still staged needs a window, or no worker would look. */
function freed(
  context: StepContext,
  id: string,
  state: ConversationState,
  work: Work,
  deadLettered: number,
): ConversationState {
  const isLeft = context.tables.staged.count(id) > deadLettered;
  const made = isLeft ? { id: context.newId(), dueAtMs: context.nowMs, wakeAtMs: context.nowMs } : undefined;
  const free = { ...state, window: state.window ?? made, lease: undefined, busyToldTurnId: undefined };
  return withoutWork(free, work.turnId);
}

/** Newer messages are staged that would join if the answer started over. With a full batch none would. */
function canJoin(context: StepContext, lease: Lease, state: ConversationState): boolean {
  return state.leftBehindAtMs === undefined && newerThan(context, lease, workUnder(state)) !== undefined;
}

function newerThan(context: StepContext, { conversationId }: Lease, work: Work): StagedSpan | undefined {
  return context.tables.staged.span(conversationId, work.batchIds);
}

function isHandedOff(context: StepContext, state: ConversationState): boolean {
  return context.tables.conversations.get(workUnder(state).recordId)?.handedOff ?? false;
}

function workUnder(state: ConversationState): Work {
  const work = workOf(state, state.lease!.turnId);
  if (!work) throw new Error(`lease of turn ${state.lease!.turnId} has no work`);
  return work;
}

function extended(context: StepContext, state: ConversationState): ConversationState {
  return { ...state, lease: { ...state.lease!, untilAtMs: context.nowMs + context.settings.leaseMs } };
}

function leaseFrom(lease: Lease, state: ConversationState): Lease {
  return { ...lease, untilAtMs: state.lease!.untilAtMs };
}
