import type { Settings } from "../model/settings.ts";
import { LEASE_MS_MAX } from "./defaults.ts";

/**
 * The expiring right to work on a conversation.
 *
 *   free --take--> held --renew--> held --release--> free
 *                   |  \--until passes--> lapsed --take (new token)--> held
 *                   \--holder known dead--> lapsed
 *
 * Time says when to try; the token says who is right. A slow holder finds a newer token, and its writes are
 * refused.
 */
export interface LeaseState {
  readonly token: string;
  readonly holder: string;
  readonly turnId: string;
  readonly takenAtMs: number;
  readonly untilAtMs: number;
}

/** A lease that is taken now. Without a turn, which one it will be for is not known yet. */
export function newLease(
  taker: Pick<LeaseState, "token" | "holder"> & { readonly nowMs: number },
  { leaseMs }: Pick<Settings, "leaseMs">,
  turnId = "",
): LeaseState {
  const { token, holder, nowMs } = taker;
  return { token, holder, turnId, takenAtMs: nowMs, untilAtMs: nowMs + leaseMs };
}

/** Whether a worker may still hold the lease. `skewMs` is how far two clocks may be apart. */
export function isHeld<L extends Pick<LeaseState, "untilAtMs">>(
  lease: L | undefined,
  nowMs: number,
  skewMs: number,
): lease is L {
  return (
    lease !== undefined && nowMs < lease.untilAtMs + skewMs && lease.untilAtMs <= latestEndAtMs(nowMs, skewMs)
  );
}

/** Whether a turn runs under it. A worker that only looks, or erases, holds a lease without a turn. */
export function isRunning(
  lease: (Pick<LeaseState, "untilAtMs"> & Partial<Pick<LeaseState, "turnId">>) | undefined,
  nowMs: number,
  skewMs: number,
): boolean {
  return isHeld(lease, nowMs, skewMs) && (lease.turnId ?? "") !== "";
}

/** No lease that was taken by now ends later than this, even if its holder's clock is ahead. */
export function latestEndAtMs(nowMs: number, skewMs: number): number {
  return nowMs + LEASE_MS_MAX + skewMs;
}

/**
 * The latest moment at which a send may still be under way. A request that is open then is aborted, so that
 * it cannot reach the provider after another worker got the right to send.
 */
export function sendByAtMs(
  nowMs: number,
  leaseUntilAtMs: number,
  limits: { readonly sendTimeoutMs: number; readonly clockSkewMs: number },
): number {
  return Math.min(nowMs + limits.sendTimeoutMs, leaseUntilAtMs - limits.clockSkewMs);
}

/** What alarms need to know about the current leases. */
export function leaseGauges(
  leases: readonly LeaseState[],
  nowMs: number,
  skewMs: number,
): { staleLeases: number; oldestLeaseAtMs?: number } {
  const oldest = Math.min(...leases.map(({ takenAtMs }) => takenAtMs));
  return {
    staleLeases: leases.filter((lease) => !isHeld(lease, nowMs, skewMs)).length,
    ...(leases.length > 0 && { oldestLeaseAtMs: oldest }),
  };
}
