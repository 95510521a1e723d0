import { lockRecord } from "../../../core/lock-record.ts";
import { isAtRest } from "../../../core/state.ts";
import type { Listing, LockRecord, Page } from "../../../ports/inspector.ts";
import { inParallel } from "../../../wire/in-parallel.ts";
import type { AwsContext } from "../context.ts";
import { exactItem, marshalled } from "../dynamo/exact.ts";
import { equal, type Item } from "../dynamo/expression.ts";
import { LEASED } from "../dynamo/tables.ts";
import { conversationKeyOf } from "../items/keys.ts";
import { sweptShards } from "../items/lease-shards.ts";
import { stagedCount } from "../items/staged.ts";
import { readState } from "../items/state.ts";
import type { Stored } from "../items/state-item.ts";
import { type StandingWindow, windowFrom, windowOf } from "../items/window-item.ts";

const WIDTH = 16;

/** Windows and leases as they are: first every window, then the leases without one. */
interface LocksPosition {
  /** A partition of the lease index; absent while windows are listed. */
  readonly shard?: string;
  readonly from?: Item | undefined;
}

export async function listLocks(context: AwsContext, { limit, cursor }: Page): Promise<Listing<LockRecord>> {
  const items: LockRecord[] = [];
  let position: LocksPosition | undefined = cursor === undefined ? {} : positionFrom(cursor);
  while (position && items.length < limit) {
    const { records, next } = await nextLocks(context, position, limit - items.length);
    items.push(...records);
    position = next;
  }
  return { items, ...(position && { next: cursorOf(position) }) };
}

/** As on the wire: a row of another system may stand in the index by a number that no JSON has. */
function cursorOf({ shard, from }: LocksPosition): string {
  const position = { shard, from: from && marshalled(from) };
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

function positionFrom(cursor: string): LocksPosition | undefined {
  try {
    const { shard, from } = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return { shard, from: from && exactItem(from) };
  } catch {
    return undefined;
  }
}

async function nextLocks(
  context: AwsContext,
  { shard, from }: LocksPosition,
  limit: number,
): Promise<{ records: LockRecord[]; next: LocksPosition | undefined }> {
  if (shard === undefined) {
    const { items, next } = await context.store.scanPage("triggerLock", { from, limit });
    const windows = context.quarantine.sound("triggerLock", items, windowFrom);
    const records = await inParallel(windows, WIDTH, async (window) =>
      countedLock(context, await readState(context, window.conversationId), window),
    );
    return { records, next: next ? { from: next } : { shard: "0" } };
  }
  const key = equal("lease_shard", shard);
  const { items, next } = await context.store.queryPage("state", { index: LEASED, key, from, limit });
  const ids = items.map(({ conversation_id }) => String(conversation_id));
  const armed = await context.store.getMany("triggerLock", ids.map(conversationKeyOf));
  const windows = context.quarantine.sound("triggerLock", armed, windowFrom);
  const shown = new Set(windows.map(({ conversationId }) => conversationId));
  const unarmed = ids.filter((id) => !shown.has(id));
  const states = await inParallel(unarmed, WIDTH, (id) => readState(context, id));
  const held = states.filter(({ state }) => state.lease !== undefined);
  const records = await inParallel(held, WIDTH, (stored) => countedLock(context, stored, undefined));
  const nextShard = sweptShards(context)[Number(shard) + 1];
  return {
    records,
    next: next ? { shard, from: next } : nextShard === undefined ? undefined : { shard: nextShard },
  };
}

/** The lock of one conversation, without the number of staged messages; undefined if it is at rest. */
export async function lockOf(
  context: AwsContext,
  id: string,
): Promise<Omit<LockRecord, "staged"> | undefined> {
  const [window, stored] = await Promise.all([windowOf(context, id), readState(context, id)]);
  const state = { ...stored.state, window };
  return isAtRest(state) ? undefined : lockRecord(id, state);
}

async function countedLock(
  context: AwsContext,
  stored: Stored,
  window: StandingWindow | undefined,
): Promise<LockRecord> {
  const staged = await stagedCount(context, stored.id);
  return { ...lockRecord(stored.id, { ...stored.state, window }), staged };
}
