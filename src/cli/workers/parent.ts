import { ConfigError } from "../../errors.ts";
import { tellOfCrashes } from "../../process/crash.ts";
import { systemClock } from "../../runtime/system-clock.ts";
import type { Io } from "../io.ts";
import { createLog, logShape } from "../logger.ts";
import { announce } from "../serving/announce.ts";
import { firstSignal } from "../serving/signals.ts";
import { CommandFailed } from "../usage-error.ts";
import { startFirstWorker } from "./first-worker.ts";
import { Supervisor } from "./supervisor.ts";

/**
 * Runs the service in processes of its own. The parent itself takes no requests and no turns, and loads
 * neither configuration nor store: it stays as small as Node lets it be, and nothing of the user's is in it.
 */
export async function runParent(io: Io): Promise<number | "alone"> {
  // From the first moment on: a signal that only ended the parent would leave its worker behind.
  let killAll = () => {};
  const signal = firstSignal(() => killAll());
  const startedAtMs = systemClock.nowMs();
  const first = await startFirstWorker(signal, startedAtMs);
  if (first === "alone") return first;
  if ("exitCode" in first) return first.exitCode;
  const { supervision } = first;
  const { graceMs } = supervision;
  const log = createLog({
    level: supervision.logLevel,
    ...logShape(io, supervision.logFormat),
    nowMs: io.nowMs,
    write: io.logLine,
  });
  tellOfCrashes(log);
  const failure = Promise.withResolvers<never>();
  const supervisor = new Supervisor({
    ...supervision,
    startedAtMs,
    clock: systemClock,
    log,
    onReady: (url) => announce(io, { ...supervision, url }),
    onFailed: (message, exitCode) =>
      failure.reject(exitCode === 2 ? new ConfigError(message) : new CommandFailed(message)),
  });
  killAll = () => supervisor.kill();
  supervisor.start(first.worker);
  try {
    await Promise.race([signal, failure.promise]);
    log("info", "service.stopping", { graceMs });
  } finally {
    const inTime = await supervisor.stop();
    log("info", "service.stopped", { inTime });
  }
  return 0;
}
