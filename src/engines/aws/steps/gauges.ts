import { type LeaseState, leaseGauges } from "../../../core/lease.ts";
import type { Gauges } from "../../../ports/inspector.ts";
import type { AwsContext } from "../context.ts";
import { all, atMost, equal } from "../dynamo/expression.ts";
import { inParallel } from "../dynamo/parallel.ts";
import { LEASED } from "../dynamo/tables.ts";
import { conversationKeyOf } from "../items/keys.ts";
import { sweptShards } from "../items/lease-shards.ts";
import { storedFrom } from "../items/state-item.ts";
import { countListed } from "./listing.ts";
import { countQuarantined } from "./quarantined.ts";

const WIDTH = 16;

/**
 * Lists that are mostly empty, the first pages of two small tables, and the sparse index of leases: records
 * of finished turns are never read.
 */
export async function gauges(context: AwsContext): Promise<Gauges> {
  const [dead, unknown, foreign, leases] = await Promise.all([
    countListed(context, "messages", ["dead"]),
    countListed(context, "messages", ["unknown"]),
    countQuarantined(context),
    inParallel(sweptShards(context), WIDTH, (shard) => oldLeases(context, shard)),
  ]);
  const held = leaseGauges(leases.flat(), context.clock.nowMs(), context.settings.clockSkewMs);
  return { dead, unknown, quarantined: foreign.all, ...held };
}

/** The oldest one, and all that may have lapsed: a lease that was just taken cannot have. */
async function oldLeases(context: AwsContext, shard: string): Promise<LeaseState[]> {
  const { clock, settings, store } = context;
  const ofShard = equal("lease_shard", shard);
  const isOld = atMost("lease_taken_at_ms", clock.nowMs() - settings.leaseMs);
  const [[oldest], old] = await Promise.all([
    store.query("state", { index: LEASED, key: ofShard, limit: 1 }),
    store.query("state", { index: LEASED, key: all(ofShard, isOld), limit: settings.sweepRowsMax }),
  ]);
  const ids = new Set(
    [...(oldest ? [oldest] : []), ...old].map(({ conversation_id }) => String(conversation_id)),
  );
  const items = await store.getMany("state", [...ids].map(conversationKeyOf));
  return items.flatMap((item) => storedFrom(String(item.conversation_id), item).state.lease ?? []);
}
