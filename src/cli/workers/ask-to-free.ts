import cluster, { type Worker } from "node:cluster";
import { StoreUnavailable } from "../../errors.ts";
import { systemClock } from "../../runtime/system-clock.ts";
import { DEAD_HOLDER, isWorkerMessage, type ParentMessage } from "./messages.ts";

/** A configuration may hang while it is loaded, and a stop waits for what is being freed. */
const WITHIN_MS = 20_000;

/** One that lives may be blocked or frozen itself. */
const SIBLING_WITHIN_MS = 2_000;

/** Frees what a dead worker held, by one that lives and has the store open. */
export function freeBySibling(sibling: Worker, holder: string): Promise<number> {
  const free: ParentMessage = { lull: "free", holder };
  sibling.send(free, () => {});
  return freedBy(sibling, holder, SIBLING_WITHIN_MS, () => {});
}

/**
 * The same where none lives, in a process that lives for that only: between two deaths of workers the parent
 * needs no store, nor the program that opens one.
 */
export function freeAlone(holder: string): Promise<number> {
  const freeing = cluster.fork({ [DEAD_HOLDER]: holder });
  return freedBy(freeing, holder, WITHIN_MS, () => freeing.process.kill("SIGKILL"));
}

function freedBy(process: Worker, holder: string, withinMs: number, giveUp: () => void): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const onMessage = (message: unknown) => {
    if (!isWorkerMessage(message) || !("holder" in message) || message.holder !== holder) return;
    if (message.lull === "freed") resolve(message.leases);
    if (message.lull === "not-freed") reject(new StoreUnavailable(message.reason));
  };
  const onExit = () => reject(new StoreUnavailable("the process that should free them died"));
  const forget = systemClock.after(withinMs, () => {
    giveUp();
    reject(new StoreUnavailable("the process that should free them does not answer"));
  });
  process.on("message", onMessage);
  process.once("exit", onExit);
  process.once("error", reject);
  return promise.finally(() => {
    forget();
    process.off("message", onMessage);
    process.off("exit", onExit);
    process.off("error", reject);
  });
}
