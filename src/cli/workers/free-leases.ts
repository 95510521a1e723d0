import cluster from "node:cluster";
import { StoreUnavailable } from "../../errors.ts";
import { systemClock } from "../../runtime/system-clock.ts";
import { DEAD_HOLDER, isWorkerMessage } from "./messages.ts";

/** A configuration may hang while it is loaded, and a stop waits for what is being freed. */
const WITHIN_MS = 20_000;

/**
 * Frees what a dead worker held, in a process that lives for that only: between two deaths of workers the
 * parent needs no store, nor the program that opens one.
 */
export function freeLeases(holder: string): Promise<number> {
  const freeing = cluster.fork({ [DEAD_HOLDER]: holder });
  return new Promise((resolve, reject) => {
    freeing.on("message", (message: unknown) => {
      if (!isWorkerMessage(message)) return;
      if (message.lull === "freed") resolve(message.leases);
      if (message.lull === "not-freed") reject(new StoreUnavailable(message.reason));
    });
    const forget = systemClock.after(WITHIN_MS, () => freeing.process.kill("SIGKILL"));
    freeing.once("exit", forget);
    freeing.once("exit", () => reject(new StoreUnavailable("the process that should free them died")));
  });
}
