import type { Loaded } from "../../config/load.ts";
import { ConfigError } from "../../errors.ts";
import { createLull, type Lull, type LullConfig } from "../../index.ts";
import { tellOfCrashes } from "../../process/crash.ts";
import { systemClock } from "../../runtime/system-clock.ts";
import type { Call } from "../command.ts";
import { requireDatabase } from "../data.ts";
import { announce } from "../serving/announce.ts";
import { requireSound, serviceLog } from "../serving/serve-here.ts";
import { firstSignal } from "../serving/signals.ts";
import { CommandFailed } from "../usage-error.ts";
import { probePort } from "./probe-port.ts";
import { Supervisor } from "./supervisor.ts";

/** Runs the service in processes of its own. The parent itself takes no requests and no turns. */
export async function runParent(call: Call, loaded: Loaded): Promise<number> {
  const { server } = loaded;
  const log = serviceLog(call, loaded);
  tellOfCrashes(log);
  const config = loaded.config(log);
  if (config.engine.name.startsWith("memory")) {
    throw new ConfigError(
      "several workers need a store that they share; the memory engine is for one process",
    );
  }
  const port = await probePort(server.port, server.host);
  // Opened before any worker: the parent alone creates the database's folder and runs its migrations.
  await withStore(config, (lull) => requireSound(lull, loaded, log));
  const failure = Promise.withResolvers<never>();
  const supervisor = new Supervisor({
    workers: server.workers,
    port,
    graceMs: server.stopGraceMs,
    hungMs: server.hungMs,
    clock: systemClock,
    log,
    async freeLeases(holder) {
      // If it is gone by now, opening it would make a new and empty one, and workers would start on that.
      await requireDatabase(server.db);
      return withStore(config, async (lull) => (await lull.engine()).sweeping.freeLeases(holder));
    },
    onReady: (url) => announce(call, url, server.host),
    onFailed: (message, exitCode) =>
      failure.reject(exitCode === 2 ? new ConfigError(message) : new CommandFailed(message)),
  });
  const signal = firstSignal(() => supervisor.kill());
  supervisor.start();
  try {
    await Promise.race([signal, failure.promise]);
    log("info", "service.stopping", { graceMs: server.stopGraceMs });
  } finally {
    const inTime = await supervisor.stop();
    log("info", "service.stopped", { inTime });
  }
  return 0;
}

/**
 * Open only as long as it takes: between two deaths of workers the parent needs no store, nor its threads.
 */
async function withStore<T>(config: LullConfig, work: (lull: Lull) => Promise<T>): Promise<T> {
  const lull = createLull(config);
  try {
    await lull.engine();
    return await work(lull);
  } finally {
    await lull.stop(0);
  }
}
