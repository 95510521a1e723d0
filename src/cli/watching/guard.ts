import { Worker } from "node:worker_threads";
import type { LoggerOptions } from "../logger.ts";
import { signOfLife } from "./sign-of-life.ts";

/** What the guard watches. */
export type Guarded =
  /** This process has no parent to notice that its event loop stands still. */
  | { readonly what: "loop"; readonly hungMs: number }
  /** A worker ends with its parent; with a blocked event loop it could not see that the parent is gone. */
  | { readonly what: "parent"; readonly pid: number };

export type GuardData = Guarded & { readonly log: Pick<LoggerOptions, "level" | "pretty" | "fields"> };

/**
 * A thread beside the event loop. It sees what the loop cannot see while a responder blocks it, and then ends
 * the process: what was acknowledged is in the store, and the next worker continues with it.
 */
export async function startGuard(data: GuardData): Promise<void> {
  // Sources run as they are in development; the built package has .js beside it.
  const entry = import.meta.url.endsWith(".ts") ? "./guard-thread.ts" : "./guard-thread.js";
  // Loaders and hooks of the user's own code are not needed in there.
  const thread = new Worker(new URL(entry, import.meta.url), { workerData: data, execArgv: [] });
  thread.on("message", () => thread.postMessage(signOfLife()));
  thread.unref();
  await new Promise<void>((resolve, reject) => {
    thread.once("online", resolve);
    thread.once("error", reject);
  });
}
