import { tellable } from "../errors.ts";
import type { Lease } from "../model/lease.ts";
import type { Log } from "../model/log.ts";
import type { Clock } from "../ports/clock.ts";
import type { TurnTaking } from "../ports/engine.ts";

/** The reason of `lost` when no other holder is known: the lease ran out while the store was away. */
export const NOT_RENEWED = "not renewed";

/**
 * Keeps a lease alive while its turn runs, and knows whether it is still ours. A holder that cannot renew is
 * treated as one that lost the lease: it stops before it sends.
 */
export interface Heartbeat {
  /** The lease with its latest end. */
  readonly lease: () => Lease;
  /** Another write of the turn renewed it. */
  renewed(lease: Lease): void;
  /** Aborts when the lease is lost, with the reason `NOT_RENEWED` when it only ran out. */
  readonly lost: AbortSignal;
  stop(): void;
}

export function keepAlive(
  turns: Pick<TurnTaking, "renew">,
  taken: Lease,
  clock: Clock,
  renewMs: number,
  log: Log,
): Heartbeat {
  const losing = new AbortController();
  let lease = taken;
  let cancel = () => {};
  let stopped = false;

  const schedule = (ms: number) => {
    cancel = clock.after(ms, () => void beat());
  };
  const beat = async () => {
    try {
      const renewal = await turns.renew(lease);
      if (stopped) return;
      if (renewal.kind === "lost") return losing.abort();
      lease = renewal.lease;
      schedule(renewMs);
    } catch (error) {
      if (stopped) return;
      log("warn", "lease.renew-failed", { conversation: lease.conversationId, reason: tellable(error) });
      // The store may be back in time. If the lease ends first, another worker may have taken it.
      if (clock.nowMs() >= lease.untilAtMs) losing.abort(NOT_RENEWED);
      else schedule(Math.min(renewMs, Math.max(1, (lease.untilAtMs - clock.nowMs()) / 2)));
    }
  };
  schedule(renewMs);

  return {
    lease: () => lease,
    renewed(newer) {
      lease = newer;
    },
    lost: losing.signal,
    stop() {
      stopped = true;
      cancel();
    },
  };
}
