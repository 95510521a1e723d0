import type { Settings } from "../model/settings.ts";
import type { Within } from "../runtime/worker.ts";

/** What one invocation may still do, in ms from now. */
export interface Budget {
  /** When running turns are released. */
  readonly stopMs: number;
  /**
   * When unfinished work is abandoned, so that the neighbours' results are reported before the function is
   * killed.
   */
  readonly endMs: number;
  readonly limits: Within["limits"];
}

/** Shares of the function's time that are kept for a send on its way, and for the writes after it. */
const SEND_SHARE = 6;
const WRITES_SHARE = 12;
const WRITES_MS_MAX = 5_000;
/**
 * How much of the time is left when an answer that had all of it times out, so that it ends as a failure and
 * not with the function.
 */
const FAILED_SHARE = 10;
/** Of the time for writes, what is kept for the report. */
const REPORT_SHARE = 5;

/**
 * A turn that is stopped has sent its last byte, and written that down, before the function is killed.
 *
 * An answer that had the whole time of a function and did not come has failed: that is an outage, and
 * `retryForSeconds` counts from its first failure. A turn that only began late is released without having
 * failed, and nothing counts. So the answer's own time ends a little before the function's.
 */
export function budgetOf(remainingMs: number, settings: Settings): Budget {
  const sendTimeoutMs = Math.min(settings.sendTimeoutMs, remainingMs / SEND_SHARE);
  const writesMs = Math.min(WRITES_MS_MAX, remainingMs / WRITES_SHARE);
  const stopMs = remainingMs - sendTimeoutMs - writesMs;
  // What is left of the time; how long an answer may take besides is its project's.
  const answerTimeoutMs = stopMs * (1 - 1 / FAILED_SHARE);
  return { stopMs, endMs: remainingMs - writesMs / REPORT_SHARE, limits: { answerTimeoutMs, sendTimeoutMs } };
}
