import { acceptedMeanwhile, isSilence } from "../../../core/late-answer.ts";
import { afterCommit, afterLeaving, LOST, workUnder } from "../../../core/running-turn.ts";
import { sentInTurn } from "../../../core/sent.ts";
import {
  changeByTurn,
  type FinishedTurn,
  finishedTurn,
  spokenIn,
  turnRecord,
  unknownSendsOf,
} from "../../../core/turn.ts";
import type { Commit } from "../../../model/commit.ts";
import type { Lease } from "../../../model/lease.ts";
import type { CommitOutcome } from "../../../ports/engine.ts";
import { changeRecord, endOf, heldState, keepRemembered, type StepContext, saveState } from "../context.ts";
import { rememberSent } from "./record-delivery.ts";
import { takeMore } from "./take.ts";

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
  const { tables, nowMs } = context;
  const id = lease.conversationId;
  const batch = tables.staged.of(id, work.batchIds);
  recordTurn(context, finishedTurn(state, what, batch, nowMs));
  tables.staged.remove(id, work.batchIds);
  keepRemembered(context, batch);
  const after = afterLeaving(afterCommit(state, work), batch);
  if (what.more) {
    tables.states.put(id, after);
    return { kind: "committed", next: takeMore(context, id), ...endOf(context, state) };
  }
  saveState(context, id, { ...after, lease: undefined });
  return { kind: "committed", ...endOf(context, state) };
}

/** Both sides of the turn, how it went, the conversation's new status, and sends whose outcome is unknown. */
function recordTurn(context: StepContext, finished: FinishedTurn): void {
  const { tables } = context;
  const { work, commit: what } = finished;
  const { recordId } = work;
  // If there is none, it was not erased, which would have changed the token: the turn is still recorded.
  changeRecord(context, recordId, changeByTurn(what), what.usage);
  const turn = turnRecord(finished);
  tables.history.append(turn, spokenIn(finished));
  rememberSent(context, sentInTurn(turn));
  for (const unknown of unknownSendsOf(finished)) tables.unknownSends.put(unknown);
}
