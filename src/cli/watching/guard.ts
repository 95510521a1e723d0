import { signOfLife } from "./sign-of-life.ts";
import { startThread } from "./start-thread.ts";
import type { ThreadLog } from "./thread-log.ts";

export interface GuardData {
  readonly hungMs: number;
  readonly log: ThreadLog;
}

// Sources run as they are in development; the built package has .js beside it.
const ENTRY = import.meta.url.endsWith(".ts") ? "./guard-thread.ts" : "./guard-thread.js";

/**
 * A thread beside the event loop of a process that has no parent. It sees what the loop cannot see while a
 * responder blocks it, and then ends the process: what was acknowledged is in the store, and the next one
 * continues with it.
 */
export async function startGuard(data: GuardData): Promise<void> {
  const thread = await startThread(new URL(ENTRY, import.meta.url), data);
  thread.on("message", () => thread.postMessage(signOfLife()));
  // Listening had taken hold of the process again.
  thread.unref();
}
