import { dueOfStaged, inItsOwnRoom, type Step, saveState, stateOf } from "./step.ts";
import type { StrayRow } from "./tables.ts";

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
  const orphans = ids.filter((id) => inItsOwnRoom(step, id, () => armOrphan(step, id))).length;
  const keepAfterMs = settings.retentionMs === 0 ? 0 : nowMs - settings.retentionMs;
  return { orphans, expired: tables.expire(nowMs, keepAfterMs, settings.sweepRowsMax), cursor: next };
}

/** Staged, past its due time and grace, no window, no lease. It should never be; if it is, it heals here. */
function armOrphan(step: Step, id: string): boolean {
  const due = dueOfStaged(step, id);
  if (due + step.settings.graceMs > step.nowMs) return false;
  const state = stateOf(step, id);
  const made = state.lease ? undefined : { id: step.newId(), dueAtMs: due, wakeAtMs: due };
  // Written even if a window stands, or a lease: then it is the row around it that nobody would have woken up for.
  saveState(step, id, { ...state, window: state.window ?? made });
  return true;
}

/** The holder's process is known dead: its leases lapse now, and what it was sending settles sooner. */
export function freeLeases(step: Step, holder: string): number {
  const ids = step.tables.heldBy(holder);
  for (const id of ids) inItsOwnRoom(step, id, () => freeLease(step, id));
  if (ids.length > 0) step.armed(step.nowMs);
  return ids.length;
}

/** Without a lease in it, the row only said so: it is written as it is. */
function freeLease(step: Step, id: string): void {
  const state = stateOf(step, id);
  const { lease } = state;
  if (!lease) {
    saveState(step, id, state);
    return;
  }
  const untilAtMs = Math.min(lease.untilAtMs, step.nowMs);
  step.tables.putState(id, { ...state, lease: { ...lease, untilAtMs }, holderDeadAtMs: step.nowMs });
}

/** A write, and the look that every worker takes: a store that can do only one of them is not ready. */
export function ping(step: Step): void {
  step.tables.wakeable(step.nowMs, 1);
  step.tables.ping(step.nowMs);
}

export function setAside(step: Step, rows: readonly StrayRow[]): void {
  step.tables.setAside(rows);
}

export function holders(step: Step): string[] {
  return step.tables.holders();
}
