import { inParallel } from "../../../wire/in-parallel.ts";
import type { AwsContext } from "../context.ts";
import { all, type Condition, equal } from "../dynamo/expression.ts";
import type { Reading } from "../dynamo/store.ts";
import { LEASED } from "../dynamo/tables.ts";
import { leaseShards } from "./keys.ts";

/** Partitions read at once. */
const WIDTH = 16;

const MINUTE_MS = 60_000;
const EVERY_MINUTES = 10;
/** Not the first minute, in which most schedules begin. */
const MINUTE = 7;

/**
 * The partitions of the lease index that a round looks at: those in use and, during one minute of every ten,
 * all that can exist. That finds a lease that was taken when there were more partitions, or by a worker with
 * another number configured.
 */
export function sweptShards({
  clock,
  leaseShards: count,
}: Pick<AwsContext, "clock" | "leaseShards">): string[] {
  const isWhole = Math.floor(clock.nowMs() / MINUTE_MS) % EVERY_MINUTES === MINUTE;
  return leaseShards(isWhole ? undefined : count);
}

/** The conversations that are leased, as the index has them, oldest lease first in each partition. */
export async function leasedIds(
  context: Pick<AwsContext, "store" | "clock" | "leaseShards">,
  { taken, ...how }: Pick<Reading, "limit" | "filter"> & { readonly taken?: Condition } = {},
): Promise<string[]> {
  const found = await inParallel(sweptShards(context), WIDTH, (shard) => {
    const ofShard = equal("lease_shard", shard);
    const key = taken ? all(ofShard, taken) : ofShard;
    return context.store.query("state", { index: LEASED, key, ...how });
  });
  return found.flat().map(({ conversation_id }) => String(conversation_id));
}
