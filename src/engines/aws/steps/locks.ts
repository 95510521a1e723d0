import type { Listing, LockRecord, Page } from "../../../ports/inspector.ts";
import type { AwsContext } from "../context.ts";
import { equal, type Item } from "../dynamo/expression.ts";
import { inParallel } from "../dynamo/parallel.ts";
import { LEASED } from "../dynamo/tables.ts";
import { conversationKeyOf } from "../items/keys.ts";
import { sweptShards } from "../items/lease-shards.ts";
import { stagedCount } from "../items/staged.ts";
import { readState } from "../items/state.ts";
import type { Stored } from "../items/state-item.ts";
import { type StandingWindow, windowFrom, windowOf } from "../items/window.ts";

const WIDTH = 16;

/** Windows and leases as they stand: first every window, then the leases that have none. */
interface LockCursor {
  /** A partition of the index over leases; none while windows are listed. */
  readonly shard?: string;
  readonly from?: Item | undefined;
}

export async function locks(site: AwsContext, { limit, cursor }: Page): Promise<Listing<LockRecord>> {
  const items: LockRecord[] = [];
  let at: LockCursor | undefined = cursor === undefined ? {} : cursorFrom(cursor);
  while (at && items.length < limit) {
    const { records, next } = await nextLocks(site, at, limit - items.length);
    items.push(...records);
    at = next;
  }
  return { items, ...(at && { next: Buffer.from(JSON.stringify(at)).toString("base64url") }) };
}

function cursorFrom(cursor: string): LockCursor | undefined {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString()) as LockCursor;
  } catch {
    return undefined;
  }
}

async function nextLocks(
  site: AwsContext,
  { shard, from }: LockCursor,
  limit: number,
): Promise<{ records: LockRecord[]; next: LockCursor | undefined }> {
  if (shard === undefined) {
    const { items, next } = await site.store.scanPage("triggerLock", { from, limit });
    const windows = site.quarantine.sound("triggerLock", items, windowFrom);
    const records = await inParallel(windows, WIDTH, async (window) =>
      lockRecord(site, await readState(site, window.conversationId), window),
    );
    return { records, next: next ? { from: next } : { shard: "0" } };
  }
  const key = equal("lease_shard", shard);
  const { items, next } = await site.store.queryPage("state", { index: LEASED, key, from, limit });
  const ids = items.map(({ conversation_id }) => String(conversation_id));
  const armed = await site.store.getMany("triggerLock", ids.map(conversationKeyOf));
  const windows = site.quarantine.sound("triggerLock", armed, windowFrom);
  const shown = new Set(windows.map(({ conversationId }) => conversationId));
  const unarmed = ids.filter((id) => !shown.has(id));
  const states = await inParallel(unarmed, WIDTH, (id) => readState(site, id));
  const held = states.filter(({ state }) => state.lease !== undefined);
  const records = await inParallel(held, WIDTH, (stored) => lockRecord(site, stored, undefined));
  const nextShard = sweptShards(site)[Number(shard) + 1];
  return {
    records,
    next: next ? { shard, from: next } : nextShard === undefined ? undefined : { shard: nextShard },
  };
}

/** The lock of one conversation, without what is staged; undefined when it is at rest. */
export async function lockOf(site: AwsContext, id: string): Promise<Omit<LockRecord, "staged"> | undefined> {
  const [window, stored] = await Promise.all([windowOf(site, id), readState(site, id)]);
  const { lease, draft, works } = stored.state;
  return window || lease || draft || works.length > 0 ? uncounted(stored, window) : undefined;
}

async function lockRecord(
  site: AwsContext,
  stored: Stored,
  window: StandingWindow | undefined,
): Promise<LockRecord> {
  return { ...uncounted(stored, window), staged: await stagedCount(site, stored.id) };
}

function uncounted(
  { id, state: { lease, draft, works } }: Stored,
  window: StandingWindow | undefined,
): Omit<LockRecord, "staged"> {
  return {
    conversationId: id,
    ...(window && { window: { id: window.id, dueAtMs: window.dueAtMs } }),
    ...(lease && { lease: { holder: lease.holder, untilAtMs: lease.untilAtMs, takenAtMs: lease.takenAtMs } }),
    attempts: Math.max(0, ...works.map(({ attempts }) => attempts)),
    draft: draft !== undefined,
  };
}
