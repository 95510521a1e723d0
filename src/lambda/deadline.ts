import type { Settings } from "../core/settings.ts";
import type { Within } from "../runtime/worker.ts";

/** What one invocation may still do, in ms from its start. */
export interface Budget {
  /** When running turns are given back. */
  readonly stopMs: number;
  readonly limits: Within["limits"];
}

/** Shares of the function's time that are kept for a send on its way, and for the writes behind it. */
const SEND_SHARE = 6;
const WRITES_SHARE = 12;
const WRITES_MS_MAX = 5_000;
/** How much sooner an answer that had the whole invocation is out of time than the invocation itself. */
const COUNTED_MS = 250;

/**
 * A turn that is stopped has sent its last byte, and written that down, before the function is killed.
 *
 * An answer that had the whole time of a function and did not come has failed, and counts: it would not come in the next one
 * either. A turn that only began late is given back uncounted. So the answer's own time is over a moment before the function's.
 */
export function budgetOf(remainingMs: number, settings: Settings): Budget {
  const sendTimeoutMs = Math.min(settings.sendTimeoutMs, remainingMs / SEND_SHARE);
  const writesMs = Math.min(WRITES_MS_MAX, remainingMs / WRITES_SHARE);
  const stopMs = Math.max(0, remainingMs - sendTimeoutMs - writesMs);
  const answerTimeoutMs = Math.max(0, Math.min(settings.answerTimeoutMs, stopMs - COUNTED_MS));
  return { stopMs, limits: { answerTimeoutMs, sendTimeoutMs } };
}
