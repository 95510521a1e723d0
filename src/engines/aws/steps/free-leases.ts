import { afterHolderDied } from "../../../core/state.ts";
import { filterInParallel } from "../../../wire/in-parallel.ts";
import { type AwsContext, clockOf } from "../context.ts";
import { equal } from "../dynamo/expression.ts";
import { leasedIds } from "../items/lease-shards.ts";
import { readState, saveState } from "../items/state.ts";
import { triggerOf } from "../items/state-item.ts";

const WIDTH = 10;

/** The holder's process is known dead: its leases lapse now on every clock, and its sends begin to settle. */
export async function freeLeases(context: AwsContext, holder: string): Promise<number> {
  const ids = await leasedIds(context, { filter: equal("lease_holder", holder) });
  return (await filterInParallel(ids, WIDTH, (id) => free(context, id, holder))).length;
}

async function free(context: AwsContext, id: string, holder: string): Promise<boolean> {
  let stored = await readState(context, id);
  while (stored.state.lease?.holder === holder && !stored.isNewer) {
    const saved = await saveState(context, stored, afterHolderDied(stored.state, clockOf(context)));
    if (saved.kind === "saved") {
      await context.triggers.send(triggerOf(stored), context.clock.nowMs());
      return true;
    }
    stored = saved.stored;
  }
  return false;
}
