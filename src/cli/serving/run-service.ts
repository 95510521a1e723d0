import cluster from "node:cluster";
import type { Loaded } from "../../config/load.ts";
import type { Call } from "../command.ts";
import { runParent } from "../workers/parent.ts";
import { runWorker } from "../workers/worker.ts";
import { announce } from "./announce.ts";
import { serveHere, serviceLog } from "./serve-here.ts";
import { firstSignal } from "./signals.ts";

/** Runs the service until it is told to stop: in this process, or in as many as were asked for. */
export function runService(call: Call, loaded: Loaded): Promise<number> {
  if (cluster.isWorker) return runWorker(call, loaded);
  return loaded.server.workers > 1 ? runParent(call, loaded) : runAlone(call, loaded);
}

async function runAlone(call: Call, loaded: Loaded): Promise<number> {
  const { port, stopGraceMs } = loaded.server;
  const log = serviceLog(call, loaded);
  const signal = firstSignal();
  const serving = await serveHere(call, loaded, { port });
  announce(call, serving.url);
  await signal;
  log("info", "service.stopping", { graceMs: stopGraceMs });
  await serving.close(stopGraceMs);
  log("info", "service.stopped");
  return 0;
}
