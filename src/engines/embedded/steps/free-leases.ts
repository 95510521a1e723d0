import { afterHolderDied } from "../../../core/state.ts";
import { clockOf, orPutOff, type StepContext, saveState, stateOf } from "../context.ts";

/** The processes that hold leases. */
export function holders(context: StepContext): string[] {
  return context.tables.states.holders();
}

/** The holder's process is known dead: its leases lapse now, and what it was sending begins to settle. */
export function freeLeases(context: StepContext, holder: string): number {
  const ids = context.tables.states.heldBy(holder);
  for (const id of ids) orPutOff(context, id, () => freeLease(context, id));
  if (ids.length > 0) context.armed(context.nowMs);
  return ids.length;
}

/** If the state has no lease, only the row's column named the holder: writing the state corrects it. */
function freeLease(context: StepContext, id: string): void {
  const state = stateOf(context, id);
  if (state.lease) context.tables.states.put(id, afterHolderDied(state, clockOf(context)));
  else saveState(context, id, state);
}
