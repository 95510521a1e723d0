import { ConfigError, LullError, StoreUnavailable } from "../errors.ts";
import type { TurnRun } from "./turn-run.ts";

const FIRST_WAIT_MS = 50;
const WAIT_MS_MAX = 2_000;

/**
 * A write of a turn, tried again while the store is away and the lease is ours. A disk that is full for a
 * second must not cost the record of an answer that was sent.
 */
export async function persist<T>(
  { clock, heartbeat, sampled, store }: Pick<TurnRun, "clock" | "heartbeat" | "sampled" | "store">,
  write: () => Promise<T>,
): Promise<T> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, WAIT_MS_MAX)) {
    try {
      const written = await write();
      store.worked();
      return written;
    } catch (error) {
      const mayPass = error instanceof LullError && (error.retry === "later" || needsOperator(error));
      if (!mayPass) throw error;
      store.failed();
      if (clock.nowMs() + waitMs >= heartbeat.lease().untilAtMs) throw asOutage(error);
      const { conversationId: conversation } = heartbeat.lease();
      sampled.note("warn", "store.retry", { reason: error.message }, { conversation });
      await clock.sleep(waitMs);
    }
  }
}

/**
 * Credentials expired, or a policy was changed: it worked when the turn was taken, and an operator will
 * repair it.
 */
function needsOperator(error: LullError): boolean {
  return error instanceof ConfigError;
}

/** For a turn, a store that denies us access is a store that is away: its messages are not at fault. */
export function asOutage(error: unknown): unknown {
  return error instanceof ConfigError ? new StoreUnavailable(error.message, error) : error;
}
