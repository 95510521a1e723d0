import { settingsFor } from "../../../core/projects.ts";
import {
  asStored,
  hasRoomForNewer,
  isAnswer,
  LOST,
  withChunks,
  withDraft,
  workUnder,
} from "../../../core/running-turn.ts";
import { messagesOf } from "../../../core/staged.ts";
import type { ConversationState } from "../../../core/state.ts";
import { mayRestart } from "../../../core/turn.ts";
import type { Chunk, Draft } from "../../../model/draft.ts";
import type { Lease } from "../../../model/lease.ts";
import type { ChunksOutcome, DraftOutcome, Renewal } from "../../../ports/engine.ts";
import type { AwsContext } from "../context.ts";
import { conversationOf } from "../items/conversation-row.ts";
import { assertFits } from "../items/item-size.ts";
import { conversationKeyOf } from "../items/keys.ts";
import type { StageMessageRow } from "../items/stage-item.ts";
import { stagedRows, waitsBeside } from "../items/staged.ts";
import { changeHeld, isHeldBy, isMine, letGo, readState } from "../items/state.ts";
import type { Stored } from "../items/state-item.ts";

/** One attribute, on condition of the token: nothing that other processes write meanwhile is touched. */
export async function renew(context: AwsContext, lease: Lease): Promise<Renewal> {
  const untilAtMs = context.clock.nowMs() + context.settings.leaseMs;
  const key = conversationKeyOf(lease.conversationId);
  const set = { lease_until_at_ms: untilAtMs };
  const written = await context.store.update("state", key, { set }, isHeldBy(lease.token));
  if (written.kind === "done") return { kind: "renewed", lease: { ...lease, untilAtMs } };
  letGo(context, lease.token);
  return LOST;
}

export async function hasNewer(context: AwsContext, lease: Lease): Promise<boolean> {
  const stored = await readState(context, lease.conversationId);
  return isMine(stored, lease.token) && canJoin(context, stored);
}

/**
 * DRAFT, on condition that no human took over and, with `restart`, that nothing newer is staged. Both are
 * stored in other tables, and another system may hand over in the record without asking us. So they are read
 * after the write, when nothing has gone out yet: what was there before that read counts, and what comes
 * later came after the draft. If the draft must not be sent, it is taken back.
 */
export async function draft(context: AwsContext, lease: Lease, written: Draft): Promise<DraftOutcome> {
  assertFits(written);
  const stored = await write(context, lease, (state, untilAtMs) => withDraft(state, written, untilAtMs));
  if (!stored) return LOST;
  const mayBeBack = isAnswer(written);
  const [handedOff, newer] = await Promise.all([
    mayBeBack && isHandedOff(context, stored),
    mayBeBack &&
      mayRestart(settingsFor(context.settings, written.channel), workUnder(stored.state)) &&
      canJoin(context, stored),
  ]);
  if (!handedOff && !newer) return { kind: "drafted", ...asStored(lease, stored.state) };
  const isBack = await changeHeld(context, lease, ({ state }) => ({ ...state, draft: undefined }));
  if (!isBack) return LOST;
  return handedOff ? { kind: "handed-off" } : { kind: "newer" };
}

/** The same: the chunk does not go out if a human took over. */
export async function writeChunks(context: AwsContext, lease: Lease, written: Draft): Promise<ChunksOutcome> {
  const stored = await write(context, lease, (state, untilAtMs) => withChunks(state, written, untilAtMs));
  if (!stored) return LOST;
  const handedOff = isAnswer(written) && (await isHandedOff(context, stored));
  if (!handedOff) return { kind: "written", ...asStored(lease, stored.state) };
  const isBack = await changeHeld(context, lease, ({ state }) => ({
    ...state,
    draft: state.draft && notBegun(state.draft),
  }));
  return isBack ? { kind: "handed-off" } : LOST;
}

/** The chunk that is `sending` was just written so: a worker asks about an earlier one before that. */
function notBegun(draft: Draft): Draft {
  const pending = (chunk: Chunk): Chunk =>
    chunk.state.kind === "sending" ? { ...chunk, state: { kind: "pending" } } : chunk;
  return { ...draft, chunks: draft.chunks.map(pending) };
}

function write(
  context: AwsContext,
  lease: Lease,
  written: (state: ConversationState, untilAtMs: number) => ConversationState,
): Promise<Stored | undefined> {
  const untilAtMs = context.clock.nowMs() + context.settings.leaseMs;
  return changeHeld(context, lease, ({ state }) => written(state, untilAtMs));
}

async function canJoin(context: AwsContext, stored: Stored): Promise<boolean> {
  if (!hasRoomForNewer(stored.state)) return false;
  const { batchIds } = workUnder(stored.state);
  return waitsBeside(context, stored.id, batchIds, ({ kind }) => kind === "message");
}

/** Staged messages that are not in the running batch. */
export async function newerThan(context: AwsContext, stored: Stored): Promise<StageMessageRow[]> {
  const { batchIds } = workUnder(stored.state);
  const rows = messagesOf(await stagedRows(context, stored.id));
  return rows.filter(({ id }) => !batchIds.includes(id));
}

async function isHandedOff(context: AwsContext, { state }: Stored): Promise<boolean> {
  return (await conversationOf(context, workUnder(state).recordId))?.handedOff ?? false;
}
