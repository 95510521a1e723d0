import { writeSync } from "node:fs";
import type { Log } from "../../model/log.ts";
import { systemClock } from "../../runtime/system-clock.ts";
import { createLog, type LoggerOptions } from "../logger.ts";

/** The options of a log that can be passed to a thread. */
export type ThreadLog = Pick<LoggerOptions, "level" | "pretty" | "fields">;

/** The log of a thread that watches over its process, and may be about to end it. */
export function threadLog(options: ThreadLog): Log {
  return createLog({ ...options, nowMs: systemClock.nowMs, write: writeNow });
}

/** A thread's own `process.stderr` goes through the event loop that is blocked. */
function writeNow(line: string): void {
  try {
    writeSync(2, line);
  } catch {
    // Standard error is closed, or its reader is too slow.
  }
}

/** By a signal: `process.exit` would end the thread only. */
export function endProcess(): void {
  process.kill(process.pid, "SIGKILL");
}
