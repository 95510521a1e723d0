import type { AwsContext } from "../context.ts";
import { leaseShards } from "./keys.ts";

const MINUTE_MS = 60_000;
const EVERY_MINUTES = 10;
/** Not the first, in which all the world's schedules begin. */
const MINUTE = 7;

/**
 * The partitions of the index over leases that a round looks at: those in use, and for a minute of every ten all that there can be. A lease that
 * was taken when there were more of them, or by a worker that is told another number, is found then.
 */
export function sweptShards({
  clock,
  leaseShards: count,
}: Pick<AwsContext, "clock" | "leaseShards">): string[] {
  const isWhole = Math.floor(clock.nowMs() / MINUTE_MS) % EVERY_MINUTES === MINUTE;
  return leaseShards(isWhole ? undefined : count);
}
