import { inTheEnd } from "../../core/burials.ts";
import { keepSent, providerIdsOf } from "../../core/draft.ts";
import { type ConversationState, withoutWork } from "../../core/state.ts";
import { type FinishedTurn, recordOf, spokenIn, statusAfter, unknownSendsOf } from "../../core/turn.ts";
import type { Commit, CommitOutcome, Lease } from "../../ports/engine.ts";
import { isoOf, listedAs, rowKey } from "./conversation-item.ts";
import { workUnder } from "./draft.ts";
import { type Change, present } from "./expression.ts";
import { placeOf } from "./finding.ts";
import { conversationKeyOf, transactionToken } from "./keys.ts";
import { newLease } from "./lease.ts";
import { messageItem, turnItem, unknownItem } from "./message-item.ts";
import { isForgotten, putSent, seenItem } from "./seen.ts";
import type { Site } from "./site.ts";
import { messagesOf } from "./stage-item.ts";
import { stagedRows, stageKey } from "./staged.ts";
import { heldState, isUnchanged, letGo, savedAs } from "./state.ts";
import { type Stored, storedFrom } from "./state-item.ts";
import type { Action } from "./store.ts";
import { takeUnder } from "./take.ts";
import { wakeWaiting } from "./window.ts";

const ACTIONS_MAX = 100;
const RECENT_MAX = 10;

/** One atomic write: both sides of the turn, the batch off the stage, its ids remembered, draft and attempts cleared, lease released. */
export async function commit(site: Site, lease: Lease, what: Commit): Promise<CommitOutcome> {
  let stored = await heldState(site, lease);
  while (stored?.state.lease?.token === lease.token) {
    const written = await write(site, stored, what);
    if (written.kind === "done") {
      letGo(site, lease.token);
      return what.more
        ? { kind: "committed", ...(await goOn(site, written.stored)) }
        : over(site, written.stored);
    }
    stored = written.stored;
  }
  letGo(site, lease.token);
  return { kind: "lost" };
}

/** MORE: nobody gets in between, and the next turn has a token of its own. If the store fails now, the lease lapses and heals. */
async function goOn(
  site: Site,
  stored: Stored,
): Promise<Omit<Extract<CommitOutcome, { kind: "committed" }>, "kind">> {
  try {
    return { next: inTheEnd(await takeUnder(site, stored, stored.state.lease!.token)) };
  } catch (error) {
    site.log("warn", "commit.no-more", { conversation: stored.id, reason: String(error) });
    return { isLeft: true };
  }
}

async function over(site: Site, stored: Stored): Promise<CommitOutcome> {
  await wakeWaiting(site, stored.id);
  return { kind: "committed" };
}

type Written =
  | { readonly kind: "done"; readonly stored: Stored }
  | { readonly kind: "again"; readonly stored: Stored };

async function write(site: Site, stored: Stored, what: Commit): Promise<Written> {
  const turn = await finishedTurn(site, stored, what);
  // Turns of a conversation sort by their commit, whichever machine's clock is ahead.
  const atMs = Math.max(Math.floor(turn.nowMs), stored.lastCommitAtMs + 1);
  const state = stateAfter(site, stored, turn, atMs);
  const kept = records(site, turn, atMs);
  const row = await rowAfter(site, stored, turn);
  const room = ACTIONS_MAX - 2 - 2 * turn.work.batchIds.length;
  // More chunks than a transaction holds: written before it, and written again if it has to be.
  for (const action of kept.slice(room))
    if (action.kind === "put") await site.store.put(action.table, action.item);
  const actions = [state.action, ...kept.slice(0, room), ...batchActions(site, stored.id, turn)];
  // The new `rev` tells one try of ours from the next: the same token must never come with another content.
  const token = transactionToken(turn.work.turnId, turn.work.attempts, state.stored.rev ?? "");
  return settled(site, stored, state.stored, { actions, row, token });
}

/** Which condition failed decides: the state's sends us back to look, the others are written as they are found. */
async function settled(
  site: Site,
  before: Stored,
  after: Stored,
  { actions, row, token }: { actions: readonly Action[]; row: Action | undefined; token: string },
): Promise<Written> {
  const whole = row ? [...actions, row] : actions;
  const transacted = await site.store.transact(whole, token);
  if (transacted.kind === "done") return { kind: "done", stored: after };
  const standing = transacted.by.get(0);
  if (standing?.rev === after.rev) return { kind: "done", stored: after };
  if (transacted.by.has(0)) return { kind: "again", stored: storedFrom(before.id, standing) };
  // An id that another turn remembered first, or a row that its owner removed: the turn is recorded all the same.
  site.log("warn", "commit.partial", { conversation: before.id, actions: transacted.by.size });
  const rest = whole.flatMap((action, at) => (transacted.by.has(at) ? unconditional(action) : [action]));
  const again = await site.store.transact(rest, transactionToken(token, ...transacted.by.keys()));
  if (again.kind === "done") return { kind: "done", stored: after };
  return { kind: "again", stored: again.by.has(0) ? storedFrom(before.id, again.by.get(0)) : before };
}

function unconditional(action: Action): Action[] {
  if (action.kind !== "put") return [];
  const { condition: _failed, ...put } = action;
  return [put];
}

async function finishedTurn(site: Site, stored: Stored, commit: Commit): Promise<FinishedTurn> {
  const work = workUnder(stored);
  const draft = commit.draft && keepSent(stored.state.draft, commit.draft);
  const rows = site.batches.get(stored.state.lease!.token) ?? (await stagedRows(site, stored.id));
  const byId = new Map(messagesOf(rows).map(({ id, message }) => [id, message]));
  const messages = work.batchIds.flatMap((id) => byId.get(id) ?? []);
  return { work, commit, draft, messages, nowMs: site.clock.nowMs() };
}

function stateAfter(
  site: Site,
  stored: Stored,
  { work, commit, draft }: FinishedTurn,
  atMs: number,
): { action: Action; stored: Stored } {
  const after: ConversationState = {
    ...withoutWork(stored.state, work.turnId),
    draft: undefined,
    busyToldTurnId: undefined,
    lease: commit.more ? newLease(site, site.clock.nowMs()) : undefined,
  };
  const recentProviderIds = [...stored.recentProviderIds, ...(draft ? providerIdsOf(draft) : [])].slice(
    -RECENT_MAX,
  );
  const { change, stored: next } = savedAs(site, stored, after, {
    last_commit_at_ms: atMs,
    status_before: undefined,
    ...(recentProviderIds.length > 0 && { recent_provider_ids: recentProviderIds }),
  });
  const action: Action = {
    kind: "update",
    table: "state",
    key: conversationKeyOf(stored.id),
    change: { ...change, add: { turn_count: 1 } },
    condition: isUnchanged(stored),
  };
  const counted = { turnCount: stored.turnCount + 1, lastCommitAtMs: atMs, statusBefore: undefined };
  return { action, stored: { ...next, ...counted, recentProviderIds } };
}

/** The history first: where not everything fits, it is the sends that are written beforehand. */
function records(site: Site, turn: FinishedTurn, atMs: number): Action[] {
  const { recordId, turnId } = turn.work;
  const committed = { atMs, retentionMs: site.settings.retentionMs };
  const record = recordOf(turn);
  const items = [
    ...spokenIn(turn).map((message, place) => messageItem(recordId, message, place, committed)),
    turnItem(record, committed),
    ...unknownSendsOf(turn).map((unknown) => unknownItem(unknown, site.nextSequence())),
  ];
  return [
    ...items.map((item): Action => ({ kind: "put", table: "messages", item })),
    ...[...new Set(record.providerIds)].map((id) => putSent(site, record.channel, id, turnId)),
  ];
}

function batchActions(site: Site, conversationId: string, { work, nowMs }: FinishedTurn): Action[] {
  return work.batchIds.flatMap((id): Action[] => [
    { kind: "delete", table: "stage", key: stageKey(conversationId, id) },
    { kind: "put", table: "seen", item: seenItem(site, id, "committed"), condition: isForgotten(nowMs) },
  ]);
}

/** Single attributes of the conversation's row: its other owner may have rewritten the rest while the turn ran. */
async function rowAfter(site: Site, stored: Stored, turn: FinishedTurn): Promise<Action | undefined> {
  const { work } = turn;
  const place = stored.primaryChannel ?? (await placeOf(site, work.recordId));
  if (place === undefined) return undefined;
  return {
    kind: "update",
    table: "conversations",
    key: rowKey(place, work.recordId),
    change: rowChange(stored, turn),
    condition: present("conversation_id"),
  };
}

function rowChange({ statusBefore }: Stored, { work, commit, draft, nowMs }: FinishedTurn): Change {
  const { usage, complete, handOff } = commit;
  const lastSid = draft && providerIdsOf(draft).at(-1);
  const status = statusAfter(commit) ?? statusBefore;
  return {
    set: {
      ...(status !== undefined && { conversation_status: status }),
      ...(complete !== undefined && { task_complete: complete ? 1 : 0 }),
      ...(handOff !== undefined && { hand_off_to_human: true, hand_off_to_human_reason: handOff }),
      ...(lastSid !== undefined && { last_assistant_message_sid: lastSid }),
      initial_processing_time_ms: nowMs - work.takenAtMs,
      updated_at: isoOf(nowMs),
    },
    setIfAbsent: listedAs(work.recordId, nowMs),
    add: {
      prompt_tokens: usage?.promptTokens ?? 0,
      completion_tokens: usage?.completionTokens ?? 0,
      total_tokens: usage?.totalTokens ?? 0,
    },
  };
}
