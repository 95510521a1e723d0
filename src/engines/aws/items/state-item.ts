import type { LeaseState } from "../../../core/lease.ts";
import { count, type Shape, type Sound, text, time } from "../../../core/shape.ts";
import { soundState } from "../../../core/sound-state.ts";
import { AT_REST, type ConversationState, type Work } from "../../../core/state.ts";
import type { TriggerSource } from "../../../ports/engine.ts";
import { isObject } from "../../../schema/is-object.ts";
import { asRead } from "../dynamo/exact.ts";
import type { Item } from "../dynamo/expression.ts";
import { DEFAULT_QUEUE, type Trigger } from "../queue/triggers.ts";
import { itemBytes } from "./item-size.ts";
import { leaseShardOf } from "./keys.ts";
import { isNewer } from "./version.ts";

/** A conversation's row in `conversations-state`. The window is in `conversations-trigger-lock`. */
export interface Stored {
  readonly id: string;
  /** Made by the last writer: a write names the one it has seen, and recognises its own. */
  readonly rev: unknown;
  readonly sender: string | undefined;
  /** The channel whose queue wakes it. */
  readonly channel: string | undefined;
  readonly state: ConversationState;
  readonly lastCommitAtMs: number;
  readonly turnCount: number;
  /** `conversation_status` before this turn was taken. */
  readonly statusBefore: string | undefined;
  /** The turn failed: until its next attempt the row says `processing_error`, for others to go on. */
  readonly saysError: boolean;
  /** Written by a newer version of Lull: this one must not change it. */
  readonly isNewer: boolean;
  /** Why the row is foreign, and the row. */
  readonly foreign: { readonly why: string; readonly raw: Item } | undefined;
}

/** The row as it was read. A foreign row has no state, but a valid lease counts: a worker may be busy. */
export function storedFrom(id: string, item: Item | undefined): Stored {
  const row = item ?? {};
  const lease = leaseFrom(row);
  const read = soundRow(row, {
    lease,
    works: Array.isArray(row.works) ? row.works.map(workFrom) : (row.works ?? []),
    draft: row.draft,
    notBeforeAtMs: row.not_before_at_ms,
    leftBehindAtMs: row.left_behind_at_ms,
    elsewhere: row.elsewhere,
    busyToldTurnId: row.busy_told_turn_id,
  });
  return {
    id,
    rev: asRead(row, "rev"),
    sender: soundPart(text, row.primary_channel),
    channel: soundPart(text, row.channel),
    state: read.kind === "sound" ? read.value : leaseAlone(lease),
    lastCommitAtMs: soundPart<number>(time, row.last_commit_at_ms) ?? 0,
    turnCount: soundPart<number>(count, row.turn_count) ?? 0,
    statusBefore: soundPart(text, row.status_before),
    saysError: row.says_error === true,
    isNewer: isNewer("state", item),
    foreign: read.kind === "foreign" ? { why: read.why, raw: row } : undefined,
  };
}

/** What a row has beside works and draft: ours have a few hundred bytes. */
const FRAME_BYTES_MAX = 20_000;

/** A row whose `rev` is foreign could not be overwritten conditionally, and a full one not at all. */
function soundRow({ works: _, draft: __, ...frame }: Item, state: unknown): Sound<ConversationState> {
  const isOurs = frame.rev === undefined || typeof frame.rev === "string";
  if (!isOurs) return { kind: "foreign", why: "rev is no text" };
  return itemBytes(frame) > FRAME_BYTES_MAX ? { kind: "foreign", why: NO_ROOM } : soundState(state);
}

export const NO_ROOM = "it has no room for what is ours";

/** What stays of a row that has to give way under our lease, if it is short. */
const KEPT_ATTRIBUTES = [
  ...["v", "conversation_id", "primary_channel", "channel", "status_before", "says_error"],
  ...[
    "lease_token",
    "lease_holder",
    "lease_turn_id",
    "lease_taken_at_ms",
    "lease_until_at_ms",
    "lease_shard",
  ],
  ...["turn_count", "last_commit_at_ms"],
];
const KEPT_BYTES_MAX = 2_048;

/** The row without the state that cannot be read, and without all else that is not ours. */
export function withoutForeign(row: Item): Item {
  const kept = KEPT_ATTRIBUTES.filter((name) => itemBytes(row[name]) <= KEPT_BYTES_MAX);
  return Object.fromEntries(kept.map((name) => [name, asRead(row, name)]));
}

function leaseAlone(lease: unknown): ConversationState {
  const read = soundState({ lease, works: [] });
  return read.kind === "sound" ? read.value : AT_REST;
}

/** An optional attribute: if it is invalid, it counts as absent. */
function soundPart<T = string>(shape: Shape, value: unknown): T | undefined {
  return value === undefined || shape(value) !== undefined ? undefined : (value as T);
}

/** A lease without a turn belongs to a worker that is still looking. */
function leaseFrom(row: Item): unknown {
  if (row.lease_token === undefined) return undefined;
  return {
    token: row.lease_token,
    holder: row.lease_holder ?? "",
    turnId: row.lease_turn_id ?? "",
    takenAtMs: row.lease_taken_at_ms ?? 0,
    untilAtMs: row.lease_until_at_ms ?? 0,
  };
}

/** Nearly always the batch is what is counted: then its ids, the longest part, are written once. */
type StoredWork = Omit<Work, "batchIds"> & { readonly batchIds?: readonly string[] };

function workItem({ batchIds, ...work }: Work): StoredWork {
  const isSame =
    batchIds.length === work.messageIds.length && batchIds.every((id, at) => id === work.messageIds[at]);
  return isSame ? work : { ...work, batchIds };
}

function workFrom(work: unknown): unknown {
  return isObject(work) ? { ...work, batchIds: work.batchIds ?? work.messageIds } : work;
}

/** The attributes that differ: what others write meanwhile (a renewal, a busy note) is left alone. */
export function stateChange(
  id: string,
  before: ConversationState,
  after: ConversationState,
  shardCount: number,
): Item {
  const changed = <K extends keyof ConversationState>(key: K, name: string): Item =>
    before[key] === after[key] ? {} : { [name]: after[key] };
  return {
    ...(before.lease === after.lease ? {} : leaseAttributes(id, after.lease, shardCount)),
    ...(before.works === after.works
      ? {}
      : { works: after.works.length === 0 ? undefined : after.works.map(workItem) }),
    ...changed("draft", "draft"),
    ...changed("notBeforeAtMs", "not_before_at_ms"),
    ...changed("leftBehindAtMs", "left_behind_at_ms"),
    ...changed("elsewhere", "elsewhere"),
    ...changed("busyToldTurnId", "busy_told_turn_id"),
  };
}

/** `lease_shard` puts the row into the index of live leases, and takes it out again. */
export function leaseAttributes(id: string, lease: LeaseState | undefined, shardCount: number): Item {
  return {
    lease_token: lease?.token,
    lease_holder: lease?.holder,
    lease_turn_id: lease?.turnId || undefined,
    lease_taken_at_ms: lease?.takenAtMs,
    lease_until_at_ms: lease?.untilAtMs,
    lease_shard: lease && leaseShardOf(id, shardCount),
  };
}

/** Where a conversation's triggers go, as far as its row here tells. */
export function triggerOf({ id, sender, channel }: Stored, source?: TriggerSource): Trigger {
  return {
    conversationId: id,
    sender: source?.sender || sender || "",
    channel: source?.channel ?? channel ?? DEFAULT_QUEUE,
  };
}
