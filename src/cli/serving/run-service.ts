import cluster from "node:cluster";
import type { Loaded } from "../../config/load.ts";
import { tellOfCrashes } from "../../process/crash.ts";
import type { Call } from "../command.ts";
import { startGuard } from "../watching/guard.ts";
import { runParent } from "../workers/parent.ts";
import { runWorker } from "../workers/worker.ts";
import { announce } from "./announce.ts";
import { loggerOptions, serveHere, serviceLog } from "./serve-here.ts";
import { firstSignal } from "./signals.ts";

/** Whether a parent also watches a single worker. Several workers always have one. */
export interface How {
  readonly supervised: boolean;
}

/** Runs the service until it is told to stop: in this process, or in others under this one. */
export function runService(call: Call, loaded: Loaded, { supervised }: How): Promise<number> {
  if (cluster.isWorker) return runWorker(call, loaded);
  const hasParent = loaded.server.workers > 1 || (supervised && isShared(loaded));
  return hasParent ? runParent(call, loaded) : runAlone(call, loaded);
}

/** The parent opens the store beside its workers. A user's own engine may not support being opened twice. */
function isShared(loaded: Loaded): boolean {
  return /^(sqlite|aws)( |$)/.test(loaded.config(() => {}).engine.name);
}

async function runAlone(call: Call, loaded: Loaded): Promise<number> {
  const { port, host, stopGraceMs, hungMs } = loaded.server;
  const log = serviceLog(call, loaded);
  tellOfCrashes(log);
  const signal = firstSignal();
  const serving = await serveHere(call, loaded, { port });
  if (hungMs > 0) await startGuard({ what: "loop", hungMs, log: loggerOptions(call, loaded) });
  announce(call, serving.url, host);
  await signal;
  log("info", "service.stopping", { graceMs: stopGraceMs });
  await serving.close(stopGraceMs);
  log("info", "service.stopped");
  return 0;
}
