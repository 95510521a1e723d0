import { arm, dueOfStaged, type Step, stateOf } from "./step.ts";
import type { PastTimes } from "./tables.ts";

/**
 * Rows that one round looks at, and removes, at most. Whoever writes waits meanwhile: in a file of 480 MB rounds of 4,000 took 140 ms and up to
 * 493, rounds of 250 took 3.5 and up to 67, and removed more in a second. There is always a next round.
 */
const ROUND_ROWS_MAX = 250;
const DAY_MS = 24 * 3_600_000;
/** How long a provider may still tell what became of something that we sent. */
const DELIVERIES_KEPT_MS = 7 * DAY_MS;
const REFUSALS_KEPT_MS = 30 * DAY_MS;
const REFUSALS_KEPT_MAX = 100_000;

export interface SweepResult {
  readonly orphans: number;
  readonly expired: number;
  /** The round ended at a limit: there may be more, and the next one may as well come at once. */
  readonly hasMore: boolean;
  /** Where the next round goes on. */
  readonly cursor: string;
}

/** One bounded round: orphans get a window, what is past its time goes. */
export function sweep(step: Step, cursor: string): SweepResult {
  const { tables, settings } = step;
  const max = Math.min(settings.sweepRowsMax, ROUND_ROWS_MAX);
  const { ids, next } = tables.orphans(cursor, max);
  const orphans = ids.filter((id) => armOrphan(step, id)).length;
  const { rows, isCut } = tables.expire(pastTimes(step), max);
  return { orphans, expired: rows, hasMore: isCut || next !== "", cursor: next };
}

function pastTimes({ nowMs, settings }: Step): PastTimes {
  const keepAfterMs = settings.retentionMs === 0 ? 0 : nowMs - settings.retentionMs;
  return {
    nowMs,
    keepAfterMs,
    deliveriesAfterMs: Math.max(keepAfterMs, nowMs - DELIVERIES_KEPT_MS),
    refusalsAfterMs: nowMs - REFUSALS_KEPT_MS,
    refusalsMax: REFUSALS_KEPT_MAX,
  };
}

/** Staged, past its due time and grace, no window, no lease. It should never be; if it is, it heals here. */
function armOrphan(step: Step, id: string): boolean {
  const due = dueOfStaged(step, id);
  if (due + step.settings.graceMs > step.nowMs) return false;
  arm(step, id, due);
  return true;
}

/** The holder's process is known dead: its leases lapse now, and what it was sending settles sooner. */
export function freeLeases(step: Step, holder: string): number {
  const ids = step.tables.heldBy(holder);
  for (const id of ids) {
    const state = stateOf(step, id);
    const lease = state.lease!;
    const untilAtMs = Math.min(lease.untilAtMs, step.nowMs);
    step.tables.putState(id, { ...state, lease: { ...lease, untilAtMs }, holderDeadAtMs: step.nowMs });
  }
  if (ids.length > 0) step.armed(step.nowMs);
  return ids.length;
}

export function ping(step: Step): void {
  step.tables.ping(step.nowMs);
}

export function holders(step: Step): string[] {
  return step.tables.holders();
}
