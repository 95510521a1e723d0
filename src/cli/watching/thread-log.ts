import type { Log } from "../../model/log.ts";
import { systemClock } from "../../runtime/system-clock.ts";
import { createLog, type LoggerOptions } from "../logger.ts";
import { writeNow } from "../output/write-now.ts";

/** The options of a log that can be passed to a thread. */
export type ThreadLog = Pick<LoggerOptions, "level" | "format" | "inColour" | "fields">;

/** The log of a thread that watches over its process, and may be about to end it. */
export function threadLog(options: ThreadLog): Log {
  // Not by the thread's own `process.stderr`, which goes through the event loop that may be blocked.
  return createLog({ ...options, nowMs: systemClock.nowMs, write: (line) => writeNow(2, line) });
}

/** By a signal: `process.exit` would end the thread only. */
export function endProcess(): void {
  process.kill(process.pid, "SIGKILL");
}
