import { writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import type { LogFields, LogLevel } from "../../model/log.ts";
import { systemClock } from "../../runtime/system-clock.ts";
import { createLog } from "../logger.ts";
import type { GuardData } from "./guard.ts";
import type { SignOfLife } from "./sign-of-life.ts";
import { watch } from "./watch.ts";

/** How often to check that the parent is there. */
const LOOK_MS = 1_000;

const BLOCKED =
  "the event loop stood still: something, most likely the responder, computes without awaiting. " +
  "Ended; raise hungSeconds if it should";

const data = workerData as GuardData;
const log = createLog({ ...data.log, nowMs: systemClock.nowMs, write: writeNow });

if (data.what === "loop") guardLoop(data.hungMs);
else guardAgainstSurviving(data.pid);

function guardLoop(hungMs: number): void {
  const port = parentPort!;
  const watching = watch({
    hungMs,
    clock: systemClock,
    ask: () => port.postMessage("ping"),
    onHung: (silentMs) => endProcess("error", "loop.blocked", { silentMs, message: BLOCKED }),
  });
  port.on("message", (answer: SignOfLife) => watching.heard(answer));
}

/** A worker whose event loop turns exits by itself between two looks. */
function guardAgainstSurviving(parent: number): void {
  let wasGone = false;
  const look = () => {
    const isGone = process.ppid !== parent;
    if (isGone && wasGone) endProcess("warn", "worker.orphaned", {});
    wasGone = isGone;
    systemClock.after(LOOK_MS, look);
  };
  look();
}

/** By a signal: `process.exit` would end this thread only. */
function endProcess(level: LogLevel, event: string, fields: LogFields): void {
  log(level, event, fields);
  process.kill(process.pid, "SIGKILL");
}

/** A thread's own `process.stderr` goes through the event loop that is blocked. */
function writeNow(line: string): void {
  try {
    writeSync(2, line);
  } catch {
    // Standard error is closed, or its reader is too slow.
  }
}
