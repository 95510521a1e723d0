import { settingsFor } from "../../../core/projects.ts";
import {
  asStored,
  hasRoomForNewer,
  isAnswer,
  LOST,
  renewed,
  withChunks,
  withDraft,
  workUnder,
} from "../../../core/running-turn.ts";
import type { ConversationState } from "../../../core/state.ts";
import { mayRestart } from "../../../core/turn.ts";
import type { Draft } from "../../../model/draft.ts";
import type { Lease } from "../../../model/lease.ts";
import type { ChunksOutcome, DraftOutcome, Renewal } from "../../../ports/engine.ts";
import { heldState, type StepContext, saveState } from "../context.ts";
import type { StagedSpan } from "../tables.ts";

export function renew(context: StepContext, lease: Lease): Renewal {
  const state = heldState(context, lease);
  if (!state) return LOST;
  const untilAtMs = leaseEndAtMs(context);
  saveState(context, lease.conversationId, renewed(state, untilAtMs));
  return { kind: "renewed", lease: { ...lease, untilAtMs } };
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
  if (isAnswer(written)) {
    const work = workUnder(state);
    if (isHandedOff(context, state)) return { kind: "handed-off" };
    if (mayRestart(settingsFor(context.settings, written.channel), work) && canJoin(context, lease, state))
      return { kind: "newer" };
  }
  const after = withDraft(state, written, leaseEndAtMs(context));
  saveState(context, lease.conversationId, after);
  return { kind: "drafted", ...asStored(lease, after) };
}

/** The same: the chunk does not go out if a human took over. */
export function writeChunks(
  context: StepContext,
  { lease, draft: written }: { lease: Lease; draft: Draft },
): ChunksOutcome {
  const state = heldState(context, lease);
  if (!state) return LOST;
  if (isAnswer(written) && isHandedOff(context, state)) return { kind: "handed-off" };
  const after = withChunks(state, written, leaseEndAtMs(context));
  saveState(context, lease.conversationId, after);
  return { kind: "written", ...asStored(lease, after) };
}

function canJoin(context: StepContext, lease: Lease, state: ConversationState): boolean {
  return hasRoomForNewer(state) && newerThan(context, lease, state) !== undefined;
}

/** Staged messages that are not in the running batch. */
export function newerThan(
  context: StepContext,
  { conversationId }: Lease,
  state: ConversationState,
): StagedSpan | undefined {
  return context.tables.staged.span(conversationId, workUnder(state).batchIds);
}

function isHandedOff(context: StepContext, state: ConversationState): boolean {
  return context.tables.conversations.get(workUnder(state).recordId)?.handedOff ?? false;
}

function leaseEndAtMs({ nowMs, settings }: StepContext): number {
  return nowMs + settings.leaseMs;
}
