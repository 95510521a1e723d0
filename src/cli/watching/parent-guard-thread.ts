import { parentPort } from "node:worker_threads";
import { actsAlone, companionData } from "../../process/companion.ts";
import { systemClock } from "../../runtime/system-clock.ts";
import type { ParentGuardData } from "./parent-guard.ts";
import { endProcess, threadLog } from "./thread-log.ts";

/** How often to check that the parent is there. */
const LOOK_MS = 1_000;

const data = companionData<ParentGuardData>();
const log = threadLog(data.log);
let wasGone = false;
let cancel = () => {};
look();
// The thread that we are in ends when its own work does.
parentPort?.once("close", () => cancel());

/** A worker whose event loop turns exits by itself between two looks. */
function look(): void {
  const isGone = process.ppid !== data.pid;
  if (isGone && wasGone && actsAlone()) {
    log("warn", "worker.orphaned", {});
    endProcess();
  }
  wasGone = isGone;
  cancel = systemClock.after(LOOK_MS, look);
}
