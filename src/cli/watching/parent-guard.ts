import { offerCompanion } from "../../process/companion.ts";
import { startThread } from "./start-thread.ts";
import type { ThreadLog } from "./thread-log.ts";

export interface ParentGuardData {
  readonly pid: number;
  readonly log: ThreadLog;
}

const ENTRY = import.meta.url.endsWith(".ts") ? "./parent-guard-thread.ts" : "./parent-guard-thread.js";

/**
 * A worker ends with its parent; with a blocked event loop it could not see that the parent is gone. Asked
 * for before the store is opened, whose thread can see it. The rest, for when the store is open, starts a
 * thread where the store has none.
 */
export function guardParent(data: ParentGuardData): () => Promise<void> {
  const module = new URL(ENTRY, import.meta.url);
  const isTaken = offerCompanion(module, data);
  return async () => {
    if (!isTaken()) await startThread(module);
  };
}
