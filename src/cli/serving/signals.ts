import { constants } from "node:os";
import { systemClock } from "../../runtime/system-clock.ts";

/**
 * One request may arrive twice: Ctrl-C under `npm start` comes from the terminal and again from npm, and
 * `timeout` signals the process and then its group. No person is this fast.
 */
const SAME_REQUEST_MS = 100;

/** The exit code that shells report for a process that a signal ended. */
function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/**
 * For a command that has to clean up before it ends: the reason of its `signal` is the exit code. A second
 * signal does not wait.
 */
export function abortedBySignals(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => controller.abort(exitCodeOf(signal)));
  return controller.signal;
}

/**
 * Resolves at the first request to stop. At the second, `atOnce` is called and the process ends with the code
 * that shells give to that signal. Even then nothing is lost; running turns run again.
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
