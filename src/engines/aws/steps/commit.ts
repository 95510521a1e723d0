import { acceptedMeanwhile, isSilence } from "../../../core/late-answer.ts";
import { afterCommit, LOST, workUnder } from "../../../core/running-turn.ts";
import { type FinishedTurn, finishedTurn, spokenIn, turnRecord, unknownSendsOf } from "../../../core/turn.ts";
import { tellable } from "../../../errors.ts";
import type { Commit } from "../../../model/commit.ts";
import type { Lease } from "../../../model/lease.ts";
import type { CommitOutcome } from "../../../ports/engine.ts";
import { ImpossibleWrite } from "../../../wire/aws-failure.ts";
import type { AwsContext } from "../context.ts";
import type { Action, Put } from "../dynamo/store.ts";
import { transactionToken } from "../items/keys.ts";
import { unknownItem } from "../items/message-item.ts";
import { isForgotten, putSent, seenItem } from "../items/seen.ts";
import type { StageRow } from "../items/stage-item.ts";
import { stagedAs, stageKey } from "../items/staged.ts";
import { heldState, isMine, letGo, type Saved, savedAs } from "../items/state.ts";
import { type Stored, storedFrom } from "../items/state-item.ts";
import { countTurn } from "../items/turn-count.ts";
import { turnItems } from "../items/turn-item.ts";
import type { LeftBehind } from "../left-rows.ts";
import { ownLease } from "./lease.ts";
import { type RowUpdate, rowUpdate } from "./row-update.ts";
import { NO_STATUS_NOTE } from "./status.ts";
import { takeMore } from "./take.ts";
import { wakeWaiting } from "./window.ts";
import { tellOfRow } from "./with-row.ts";

const ACTIONS_MAX = 100;

/**
 * One atomic write: both sides of the turn, the batch removed from staged, its ids remembered, draft and
 * attempts cleared, the lease released.
 */
export async function commit(context: AwsContext, lease: Lease, what: Commit): Promise<CommitOutcome> {
  let stored = await heldState(context, lease);
  while (isMine(stored, lease.token)) {
    const { state } = stored;
    if (isSilence(what) && acceptedMeanwhile(state, state.lease.turnId)) return { kind: "answered" };
    const written = await write(context, stored, what);
    if (written.kind === "saved") {
      const left = context.leftBehind.get(lease.token);
      letGo(context, lease.token);
      return what.more ? takeNext(context, written.stored, left) : over(context, written.stored);
    }
    stored = written.stored;
  }
  letGo(context, lease.token);
  return LOST;
}

/** After a failure a worker looks soon. */
async function takeNext(
  context: AwsContext,
  stored: Stored,
  left: LeftBehind | undefined,
): Promise<CommitOutcome> {
  try {
    return { kind: "committed", next: await takeMore(context, stored, left) };
  } catch (error) {
    context.log("warn", "commit.no-more", { conversation: stored.id, reason: tellable(error) });
    await wakeWaiting(context, stored.id);
    return { kind: "committed", isLeft: true };
  }
}

async function over(context: AwsContext, stored: Stored): Promise<CommitOutcome> {
  await wakeWaiting(context, stored.id);
  return { kind: "committed" };
}

async function write(context: AwsContext, stored: Stored, what: Commit): Promise<Saved> {
  const rows = await batchOf(context, stored);
  const turn = finishedTurn(stored.state, what, rows, context.clock.nowMs());
  // Turns of a conversation sort by their commit, whichever machine's clock is ahead.
  const atMs = Math.max(Math.floor(turn.nowMs), stored.lastCommitAtMs + 1);
  const state = stateAfter(context, stored, turn, atMs);
  const kept = records(context, turn, atMs);
  const row = await rowUpdate(context, stored, turn);
  const batch = batchActions(context, stored.id, turn);
  // Besides the state, the count and the conversation's row.
  const room = ACTIONS_MAX - 3 - batch.length;
  await writeBefore(context, stored.id, kept.slice(room));
  const actions = [state.action, ...kept.slice(0, room), countTurn(turn.work.turnId), ...batch];
  // The new `rev` tells one try of ours from the next: the same token must never come with another content.
  const token = transactionToken(turn.work.turnId, turn.work.attempts, String(state.stored.rev));
  return writeTogether(context, stored, state.stored, { actions, batch: batch.length, row, token });
}

/** More chunks than a transaction holds are written before it, and written again if it is repeated. */
async function writeBefore(context: AwsContext, conversation: string, puts: readonly Put[]): Promise<void> {
  for (const { table, item } of puts) {
    await context.store.put(table, item).catch((error) => {
      if (!(error instanceof ImpossibleWrite)) throw error;
      context.log("error", "commit.incomplete", { conversation, actions: 1, reason: error.message });
    });
  }
}

interface Writing {
  /** The state first. */
  readonly actions: readonly Action[];
  /** How many of them, from the end, are the batch: removed from staged, and remembered. */
  readonly batch: number;
  readonly row: RowUpdate | undefined;
  readonly token: string;
}

/**
 * The condition that failed decides: if it was the state's, the commit looks again; the others are written
 * without their condition. The reply is out: what can never be written is left out and logged, one part after
 * the other, and the turn is committed without it.
 */
async function writeTogether(
  context: AwsContext,
  before: Stored,
  after: Stored,
  writing: Writing,
): Promise<Saved> {
  let { actions, row } = writing;
  let lacks = row?.lacks;
  const done = (): Saved => {
    if (lacks !== undefined) tellOfRow(context.log, before.id, lacks);
    return { kind: "saved", stored: after };
  };
  for (let tries = 0; ; tries += 1) {
    const whole = row ? [...actions, row.action] : actions;
    // Another content needs another token.
    const token = transactionToken(writing.token, tries);
    try {
      const transacted = await context.store.transact(whole, token);
      if (transacted.kind === "done") return done();
      const standing = transacted.by.get(0);
      if (standing?.rev === after.rev) return done();
      if (transacted.by.has(0)) return { kind: "changed", stored: storedFrom(before.id, standing) };
      // Another turn remembered the id first, or the owner changed or removed the row: the turn is still
      // recorded.
      context.log("warn", "commit.partial", { conversation: before.id, actions: transacted.by.size });
      if (transacted.by.has(actions.length)) {
        row = row?.onto(transacted.by.get(actions.length));
        lacks = row?.lacks;
      }
      actions = actions.map((action, at) => (transacted.by.has(at) ? unconditional(action) : action));
    } catch (error) {
      if (!(error instanceof ImpossibleWrite)) throw error;
      if (row && mayBe(error, actions.length)) {
        row = await row.instead();
        lacks = row ? row.lacks : "everything";
      } else {
        actions = withoutImpossible(context, before.id, { ...writing, actions }, error);
      }
    }
  }
}

/** Without the state and the batch there is no commit; of the rest, what no item can hold is not stored. */
function withoutImpossible(
  context: AwsContext,
  conversation: string,
  { actions, batch }: Pick<Writing, "actions" | "batch">,
  error: ImpossibleWrite,
): readonly Action[] {
  const isNeeded = (at: number) => at === 0 || at >= actions.length - batch;
  const rest = actions.filter((_, at) => isNeeded(at) || !mayBe(error, at));
  if (rest.length === actions.length) throw error;
  const left = actions.length - rest.length;
  context.log("error", "commit.incomplete", { conversation, actions: left, reason: error.message });
  return rest;
}

/** If the store did not say which action it was, it may be any. */
function mayBe({ actions }: ImpossibleWrite, at: number): boolean {
  return actions.size === 0 || actions.has(at);
}

function unconditional(action: Action): Action {
  if (action.kind !== "put") return action;
  const { condition: _failed, ...put } = action;
  return put;
}

/** As it was read when it was taken, if that was here. */
async function batchOf(context: AwsContext, { id, state }: Stored): Promise<readonly StageRow[]> {
  return context.batches.get(state.lease!.token) ?? (await stagedAs(context, id, workUnder(state).batchIds));
}

function stateAfter(
  context: AwsContext,
  stored: Stored,
  { work, commit }: FinishedTurn,
  atMs: number,
): { action: Action; stored: Stored } {
  const lease = commit.more ? ownLease(context) : undefined;
  const after = { ...afterCommit(stored.state, work), lease };
  const { action, stored: next } = savedAs(context, stored, after, {
    last_commit_at_ms: atMs,
    // The condition ensures that no other turn counts meanwhile. An `add` would fail on what is no number.
    turn_count: stored.turnCount + 1,
    ...NO_STATUS_NOTE,
  });
  const status = { statusBefore: undefined, saysError: false };
  const counted = { turnCount: stored.turnCount + 1, lastCommitAtMs: atMs, ...status };
  return { action, stored: { ...next, ...counted } };
}

/** The history first: if not everything fits, it is the sends that are written beforehand. */
function records(context: AwsContext, turn: FinishedTurn, atMs: number): Put[] {
  const { recordId, turnId } = turn.work;
  const committed = { atMs, retentionMs: context.settings.retentionMs };
  const record = turnRecord(turn);
  const items = [
    ...turnItems({ conversationId: recordId, turnId, said: spokenIn(turn), record }, committed),
    ...unknownSendsOf(turn).map((unknown) => unknownItem(unknown, context.nextSequence())),
  ];
  return [
    ...items.map((item): Put => ({ kind: "put", table: "messages", item })),
    ...[...new Set(record.providerIds)].map((id) => putSent(context, record.channel, id, turnId)),
  ];
}

function batchActions(context: AwsContext, conversationId: string, { work, nowMs }: FinishedTurn): Action[] {
  return work.batchIds.flatMap((id): Action[] => [
    { kind: "delete", table: "stage", key: stageKey(conversationId, id) },
    { kind: "put", table: "seen", item: seenItem(context, id, "committed"), condition: isForgotten(nowMs) },
  ]);
}
