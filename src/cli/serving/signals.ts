import { constants } from "node:os";
import { systemClock } from "../../runtime/system-clock.ts";

/**
 * One request may arrive twice: Ctrl-C under `npm start` comes from the terminal and again from npm, `timeout` signals the
 * process and then its group. No person is this fast.
 */
const SAME_REQUEST_MS = 100;

/** What shells tell of a process that a signal ended. */
function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** For a command that has something to put away before it ends: the reason of its `signal` is the exit code. A second signal waits for nothing. */
export function abortedBySignals(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => controller.abort(exitCodeOf(signal)));
  return controller.signal;
}

/**
 * Resolves at the first request to stop. The second one means it: `atOnce` is called and the process ends with the code that
 * shells give to that signal. Nothing is lost then either, only the turns that ran are run again.
 */
export function firstSignal(atOnce: () => void = () => {}): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let firstAtMs: number | undefined;
  const onSignal = (signal: "SIGTERM" | "SIGINT") => {
    const nowMs = systemClock.nowMs();
    if (firstAtMs !== undefined) {
      if (nowMs - firstAtMs < SAME_REQUEST_MS) return;
      atOnce();
      process.exit(exitCodeOf(signal));
    }
    firstAtMs = nowMs;
    resolve();
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  return promise;
}
