import { arm, dueOfStaged, type Step, stateOf } from "./step.ts";

export interface SweepResult {
  readonly orphans: number;
  readonly expired: number;
  /** Where the next round goes on. */
  readonly cursor: string;
}

/** One bounded round: orphans get a window, what is past its time goes. */
export function sweep(step: Step, cursor: string): SweepResult {
  const { tables, settings, nowMs } = step;
  const { ids, next } = tables.orphans(cursor, settings.sweepRowsMax);
  const orphans = ids.filter((id) => armOrphan(step, id)).length;
  const keepAfterMs = settings.retentionMs === 0 ? 0 : nowMs - settings.retentionMs;
  return { orphans, expired: tables.expire(nowMs, keepAfterMs, settings.sweepRowsMax), cursor: next };
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
