import type { AwsContext } from "../context.ts";
import { leaseShards } from "./keys.ts";

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
