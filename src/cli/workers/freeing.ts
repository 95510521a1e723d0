import type { Loaded } from "../../config/load.ts";
import { tellable } from "../../errors.ts";
import { createLull } from "../../index.ts";
import type { Call } from "../command.ts";
import { requireDatabase } from "../data.ts";
import { serviceLog } from "../serving/serve-here.ts";
import { tellParent } from "./messages.ts";

/** The process that the parent starts when a worker has died. */
export async function runFreeing(call: Call, loaded: Loaded, holder: string): Promise<number> {
  try {
    // If it is gone by now, opening it would make a new and empty one, and workers would start on that.
    await requireDatabase(loaded.server.db);
    await tellParent({ lull: "freed", leases: await freeNow(call, loaded, holder) });
    return 0;
  } catch (error) {
    await tellParent({ lull: "not-freed", reason: tellable(error) });
    return 1;
  }
}

async function freeNow(call: Call, loaded: Loaded, holder: string): Promise<number> {
  const lull = createLull(loaded.config(serviceLog(call, loaded)));
  try {
    return await (await lull.engine()).sweeping.freeLeases(holder);
  } finally {
    await lull.stop(0);
  }
}
