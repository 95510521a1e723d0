import type { LeaseState } from "../../core/lease.ts";
import type { ConversationState, Work } from "../../core/state.ts";
import type { Draft } from "../../ports/draft.ts";
import type { Item } from "./expression.ts";
import { shardOf } from "./keys.ts";

/** A conversation's row in `conversations-state`. The window is a row of its own, in `conversations-trigger-lock`. */
export interface Stored {
  readonly id: string;
  /** Made by whoever wrote last: a write says which one it has seen, and recognises its own. */
  readonly rev: string | undefined;
  readonly primaryChannel: string | undefined;
  /** Whose queue wakes it. */
  readonly channel: string | undefined;
  readonly state: ConversationState;
  readonly lastCommitAtMs: number;
  readonly turnCount: number;
  /** What was sent in the latest turns, newest last. */
  readonly recentProviderIds: readonly string[];
  /** `conversation_status` before this turn was taken. */
  readonly statusBefore: string | undefined;
  readonly sweptAtMs: number | undefined;
}

export function storedFrom(id: string, item: Item | undefined): Stored {
  const row = (item ?? {}) as StateRow;
  return {
    id,
    rev: row.rev,
    primaryChannel: row.primary_channel,
    channel: row.channel,
    state: {
      lease: leaseFrom(row),
      works: (row.works ?? []).map(workFrom),
      draft: row.draft,
      notBeforeAtMs: row.not_before_at_ms,
      leftBehindAtMs: row.left_behind_at_ms,
      busyToldTurnId: row.busy_told_turn_id,
    },
    lastCommitAtMs: row.last_commit_at_ms ?? 0,
    turnCount: row.turn_count ?? 0,
    recentProviderIds: row.recent_provider_ids ?? [],
    statusBefore: row.status_before,
    sweptAtMs: row.swept_at_ms,
  };
}

interface StateRow {
  readonly rev?: string;
  readonly primary_channel?: string;
  readonly channel?: string;
  readonly lease_token?: string;
  readonly lease_holder?: string;
  readonly lease_turn_id?: string;
  readonly lease_taken_at_ms?: number;
  readonly lease_until_at_ms?: number;
  readonly works?: readonly StoredWork[];
  readonly draft?: Draft;
  readonly not_before_at_ms?: number;
  readonly left_behind_at_ms?: number;
  readonly busy_told_turn_id?: string;
  readonly last_commit_at_ms?: number;
  readonly turn_count?: number;
  readonly recent_provider_ids?: readonly string[];
  readonly status_before?: string;
  readonly swept_at_ms?: number;
}

/** A lease without a turn belongs to somebody who is still looking. */
function leaseFrom(row: StateRow): LeaseState | undefined {
  if (row.lease_token === undefined) return undefined;
  return {
    token: row.lease_token,
    holder: row.lease_holder ?? "",
    turnId: row.lease_turn_id ?? "",
    takenAtMs: row.lease_taken_at_ms ?? 0,
    untilAtMs: row.lease_until_at_ms ?? 0,
  };
}

/** Nearly always the batch is what is counted: the ids, the longest part of the row, are then written once. */
type StoredWork = Omit<Work, "batchIds"> & { readonly batchIds?: readonly string[] };

function workItem({ batchIds, ...work }: Work): StoredWork {
  const isSame =
    batchIds.length === work.messageIds.length && batchIds.every((id, at) => id === work.messageIds[at]);
  return isSame ? work : { ...work, batchIds };
}

function workFrom(work: StoredWork): Work {
  return { ...work, batchIds: work.batchIds ?? work.messageIds };
}

/** The attributes that differ: what others write in the meantime (a renewal, a busy text told) is left alone. */
export function stateChange(id: string, before: ConversationState, after: ConversationState): Item {
  const changed = <K extends keyof ConversationState>(key: K, name: string): Item =>
    before[key] === after[key] ? {} : { [name]: after[key] };
  return {
    ...(before.lease === after.lease ? {} : leaseAttributes(id, after.lease)),
    ...(before.works === after.works
      ? {}
      : { works: after.works.length === 0 ? undefined : after.works.map(workItem) }),
    ...changed("draft", "draft"),
    ...changed("notBeforeAtMs", "not_before_at_ms"),
    ...changed("leftBehindAtMs", "left_behind_at_ms"),
    ...changed("busyToldTurnId", "busy_told_turn_id"),
  };
}

/** `lease_shard` puts the row into the index over live leases, and takes it out again. */
export function leaseAttributes(id: string, lease: LeaseState | undefined): Item {
  return {
    lease_token: lease?.token,
    lease_holder: lease?.holder,
    lease_turn_id: lease?.turnId || undefined,
    lease_taken_at_ms: lease?.takenAtMs,
    lease_until_at_ms: lease?.untilAtMs,
    lease_shard: lease && shardOf(id),
    ...(lease === undefined && { swept_at_ms: undefined }),
  };
}
