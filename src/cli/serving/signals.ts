import { constants } from "node:os";
import { systemClock } from "../../runtime/system-clock.ts";

/**
 * One request may arrive twice: Ctrl-C under `npm start` comes from the terminal and again from npm, and
 * `timeout` signals the process and then its group. No person is this fast.
 */
const SAME_REQUEST_MS = 100;

export type StopSignal = "SIGTERM" | "SIGINT";

/** The exit code that shells report for a process that a signal ended. */
export function exitCodeOf(signal: NodeJS.Signals): number {
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
 * Ends this process as the signal does where nothing listens to it. Not `exit`, which waits for threads: one
 * that opens a store may be in a call that hears nothing for minutes. What it had begun is rolled back.
 */
export async function endBy(signal: NodeJS.Signals): Promise<never> {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  return new Promise<never>(() => {});
}

/**
 * Resolves with the first request to stop. At the second, `atOnce` is called and the process ends with the
 * code that shells give to that signal. Even then nothing is lost; running turns run again.
 */
export function firstSignal(atOnce: () => void = () => {}): Promise<StopSignal> {
  const { promise, resolve } = Promise.withResolvers<StopSignal>();
  let firstAtMs: number | undefined;
  const onSignal = (signal: StopSignal) => {
    const nowMs = systemClock.nowMs();
    if (firstAtMs !== undefined) {
      if (nowMs - firstAtMs < SAME_REQUEST_MS) return;
      atOnce();
      process.exit(exitCodeOf(signal));
    }
    firstAtMs = nowMs;
    resolve(signal);
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  return promise;
}
