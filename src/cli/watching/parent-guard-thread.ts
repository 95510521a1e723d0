import { workerData } from "node:worker_threads";
import { systemClock } from "../../runtime/system-clock.ts";
import type { ParentGuardData } from "./parent-guard.ts";
import { endProcess, threadLog } from "./thread-log.ts";

/** How often to check that the parent is there. */
const LOOK_MS = 1_000;

const data = workerData as ParentGuardData;
const log = threadLog(data.log);
let wasGone = false;
look();

/** A worker whose event loop turns exits by itself between two looks. */
function look(): void {
  const isGone = process.ppid !== data.pid;
  if (isGone && wasGone) {
    log("warn", "worker.orphaned", {});
    endProcess();
  }
  wasGone = isGone;
  systemClock.after(LOOK_MS, look);
}
