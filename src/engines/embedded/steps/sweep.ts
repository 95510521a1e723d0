import { keptSinceMs, REFUSALS_KEPT_MAX, refusalsKeptMs, WAIT_MS_MAX } from "../../../core/defaults.ts";
import { arrangementOf } from "../../../core/projects.ts";
import { isFar, wakeAtMs, windowAt } from "../../../core/state.ts";
import type { ClockSetBack } from "../../../ports/engine.ts";
import { orPutOff, type StepContext, saveState, stateOf } from "../context.ts";
import type { PastTimes } from "../tables.ts";
import { expiryTime, lookAtClock, wakeAfterSetBack } from "./clock.ts";
import { noteMemory } from "./memory.ts";
import { dueIn } from "./window.ts";

/**
 * Rows that one round looks at, and removes, at most. Writers wait meanwhile: in a file of 480 MB, rounds of
 * 4,000 took 140 ms and up to 493; rounds of 250 took 3.5 and up to 67, and removed more per second. There is
 * always a next round.
 */
const ROUND_ROWS_MAX = 250;

export interface SweepResult {
  readonly orphans: readonly string[];
  readonly expired: number;
  readonly clockSetBack?: ClockSetBack;
  /** The round ended at a limit: there may be more, and the next round may come at once. */
  readonly hasMore: boolean;
  /** Where the next round continues. */
  readonly cursor: string;
}

export interface SweepRequest {
  readonly cursor: string;
  /** This process sweeps for the first time. */
  readonly isFirst: boolean;
}

/** One bounded round: orphans get a window, expired rows are removed. */
export function sweep(context: StepContext, { cursor, isFirst }: SweepRequest): SweepResult {
  const { tables, settings } = context;
  if (isFirst) wakeMoved(context);
  noteMemory(context);
  const expiresAtMs = expiryTime(context);
  const clockSetBack = lookAtClock(context, expiresAtMs);
  const max = Math.min(settings.sweepRowsMax, ROUND_ROWS_MAX);
  const { ids, next } = tables.states.orphans(cursor, max, context.nowMs + WAIT_MS_MAX);
  const orphans = ids.filter((id) => orPutOff(context, id, () => armOrphan(context, id)));
  const { rows, isCut } = tables.removal.expire(pastTimes({ ...context, nowMs: expiresAtMs }), max);
  const hasMore = isCut || next !== "";
  return { orphans, expired: rows, hasMore, cursor: next, ...(clockSetBack && { clockSetBack }) };
}

/**
 * The configuration is read at the start: what is held for a paused project may be another's since, or no
 * project's, and no command would wake it.
 */
function wakeMoved({ tables, settings, nowMs, armed }: StepContext): void {
  const arrangement = arrangementOf(settings);
  if (tables.meta.arrangement() === arrangement) return;
  tables.meta.setArrangement(arrangement);
  if (tables.states.wakeHeldFor(undefined, nowMs) > 0) armed(nowMs);
}

function pastTimes({ nowMs, settings }: StepContext): PastTimes {
  return {
    nowMs,
    keepAfterMs: keptSinceMs(settings, nowMs),
    refusalsAfterMs: nowMs - refusalsKeptMs(settings),
    refusalsMax: REFUSALS_KEPT_MAX,
  };
}

/** Staged, past its due time and grace, without window or lease. It should never happen, and heals here. */
function armOrphan(context: StepContext, id: string): boolean {
  const state = stateOf(context, id);
  // Its wake-up is further off than any worker waits.
  if (isFar(wakeAtMs(state), context.nowMs)) return wakeAfterSetBack(context, id);
  const due = dueIn(context, id);
  if (due + context.settings.graceMs > context.nowMs) return false;
  const made = state.lease ? undefined : windowAt(undefined, context.newId(), due);
  // Written even if a window or a lease stands: then the row's columns were wrong and would wake no worker.
  saveState(context, id, { ...state, window: state.window ?? made });
  return true;
}
