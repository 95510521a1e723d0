import { ConfigError, LullError, StoreUnavailable } from "../errors.ts";
import type { TurnRun } from "./turn-run.ts";

const FIRST_WAIT_MS = 50;
const WAIT_MS_MAX = 2_000;

/**
 * A write of a turn, tried again while the store is away and the lease is ours. A full disk for a second must not turn an answer
 * that was sent into one that nobody remembers sending.
 */
export async function persist<T>(
  { clock, heartbeat, log }: Pick<TurnRun, "clock" | "heartbeat" | "log">,
  write: () => Promise<T>,
): Promise<T> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, WAIT_MS_MAX)) {
    try {
      return await write();
    } catch (error) {
      const mayPass = error instanceof LullError && (error.retry === "later" || isOperators(error));
      if (!mayPass) throw error;
      if (clock.nowMs() + waitMs >= heartbeat.lease().untilAtMs) throw asOutage(error);
      log("warn", "store.retry", { conversation: heartbeat.lease().conversationId, reason: error.message });
      await clock.sleep(waitMs);
    }
  }
}

/** Credentials that expired, a policy that was changed: it worked when the turn was taken, and somebody will put it right. */
function isOperators(error: LullError): boolean {
  return error instanceof ConfigError;
}

/** A store that we are not let into is away, as far as a turn is concerned: its messages are none the worse for it. */
export function asOutage(error: unknown): unknown {
  return error instanceof ConfigError ? new StoreUnavailable(error.message, error) : error;
}
