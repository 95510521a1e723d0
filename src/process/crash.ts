import { tellable } from "../errors.ts";
import type { Log } from "../model/log.ts";

/**
 * Puts what this process dies of into a line of the log. Node would print the error as it is, and somebody's code may have put a customer's
 * words into it. It is as fatal as before: nobody knows what was left half done, and who comes next goes on from the store.
 */
export function tellOfCrashes(log: Log): void {
  // A promise that nobody waits for ends here, too, unless somebody has taken that upon themselves.
  process.on("uncaughtException", (error) => die(log, error));
}

/** Lambda's runtime listens for both before us, prints the error whole, and ends the process: this comes first. */
export function tellOfCrashesFirst(log: Log): void {
  process.prependListener("uncaughtException", (error) => die(log, error));
  process.prependListener("unhandledRejection", (reason) => die(log, reason));
}

function die(log: Log, error: unknown): never {
  log("error", "process.crashed", { reason: tellable(error) });
  process.exit(1);
}
