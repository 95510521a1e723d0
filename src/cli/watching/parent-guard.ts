import type { Io } from "../io.ts";
import { logShape } from "../logger.ts";
import { WORKER_NUMBER } from "../workers/messages.ts";
import { startThread } from "./start-thread.ts";
import type { ThreadLog } from "./thread-log.ts";

export interface ParentGuardData {
  readonly pid: number;
  readonly log: ThreadLog;
}

const IS_SOURCE = import.meta.url.endsWith(".ts");
const ENTRY = IS_SOURCE ? "./parent-guard-thread.ts" : "./parent-guard-thread.js";
/** What it needs is a timer. Sources are compiled in their thread, and that takes more. */
const SMALL = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 };

/**
 * A worker ends with its parent, without which it would not be replaced and its leases not freed. Node ends
 * one that sees its parent go. This thread ends one that cannot see it, because its event loop is blocked, or
 * that cannot end, because its store is in the middle of a long call. It is the first thing that a worker
 * starts: a configuration may block while it is loaded. A thread of its own, since any other may be busy.
 */
export async function guardParent(io: Io): Promise<void> {
  const fields = { worker: Number(io.env[WORKER_NUMBER]) };
  const data: ParentGuardData = {
    pid: process.ppid,
    log: { level: "warn", ...logShape(io), fields },
  };
  await startThread(new URL(ENTRY, import.meta.url), data, IS_SOURCE ? {} : SMALL);
}
