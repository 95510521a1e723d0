import { tellable } from "../errors.ts";
import type { Log } from "../model/log.ts";

/**
 * Logs the error of which this process dies. Node would print the error as it is, and a responder may have
 * put a customer's words into it. It is still fatal: what was left half done is unknown, and the next process
 * continues from the store.
 */
export function tellOfCrashes(log: Log): void {
  // An unhandled rejection ends here, too, unless the application has a handler of its own.
  process.on("uncaughtException", (error) => die(log, error));
}

/** Lambda's runtime listens first, prints the whole error and ends the process: so these go before it. */
export function tellOfCrashesFirst(log: Log): void {
  process.prependListener("uncaughtException", (error) => die(log, error));
  process.prependListener("unhandledRejection", (reason) => die(log, reason));
}

function die(log: Log, error: unknown): never {
  log("error", "process.crashed", { reason: tellable(error) });
  process.exit(1);
}
