import type { Loaded } from "../../config/load.ts";
import { tellable } from "../../errors.ts";
import { createLull, type Lull } from "../../index.ts";
import type { Call } from "../command.ts";
import { requireDatabase } from "../data.ts";
import { serviceLog } from "../serving/serve-here.ts";
import { tellParent } from "./messages.ts";

/** The process that the parent starts when its only worker has died. */
export async function runFreeing(call: Call, loaded: Loaded, holder: string): Promise<number> {
  const lull = createLull(loaded.config(serviceLog(call, loaded)));
  try {
    await freeIn(lull, loaded, holder);
    return 0;
  } finally {
    await lull.stop(0);
  }
}

/** Frees what the dead worker held, and tells the parent how that went. */
export async function freeIn(lull: Lull, { server }: Loaded, holder: string): Promise<void> {
  try {
    // If it is gone by now, opening it would make a new and empty one, and workers would start on that.
    await requireDatabase(server.db);
    const leases = await (await lull.engine()).sweeping.freeLeases(holder);
    await tellParent({ lull: "freed", holder, leases });
  } catch (error) {
    await tellParent({ lull: "not-freed", holder, reason: tellable(error) });
  }
}
