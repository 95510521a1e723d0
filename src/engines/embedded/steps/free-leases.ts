import { isHeld, type LeaseState } from "../../../core/lease.ts";
import { afterHolderDied } from "../../../core/state.ts";
import { clockOf, orPutOff, type StepContext, saveState, stateOf } from "../context.ts";

/** The processes that hold leases. */
export function holders(context: StepContext): string[] {
  return context.tables.states.holders();
}

export interface Freeing {
  /** Leases of this holder that no worker has taken yet, those included that were freed before. */
  readonly left: number;
  /** When each of those that were freed now had been taken. */
  readonly takenAtMs: readonly number[];
}

/** The holder's process is known dead: its leases lapse now, and what it was sending begins to settle. */
export function freeLeases(context: StepContext, holder: string): Freeing {
  const { tables, nowMs, settings } = context;
  const ids = tables.states.heldBy(holder);
  const takenAtMs: number[] = [];
  for (const id of ids) {
    const lease = orPutOff(context, id, () => freeLease(context, id));
    if (isHeld(lease, nowMs, settings.clockSkewMs)) takenAtMs.push(lease.takenAtMs);
  }
  if (ids.length > 0) context.armed(context.nowMs);
  return { left: ids.length, takenAtMs };
}

/**
 * Tells what the lease was. If the state has none, only the row's column named the holder: writing the state
 * corrects it.
 */
function freeLease(context: StepContext, id: string): LeaseState | undefined {
  const state = stateOf(context, id);
  if (state.lease) context.tables.states.put(id, afterHolderDied(state, clockOf(context)));
  else saveState(context, id, state);
  return state.lease;
}
