import cluster from "node:cluster";
import type { Loaded } from "../../config/load.ts";
import { tellOfCrashes } from "../../process/crash.ts";
import type { Call } from "../command.ts";
import { startGuard } from "../watching/guard.ts";
import { runFreeing } from "../workers/free-for-parent.ts";
import { DEAD_HOLDER, FIRST_WORKER, tellParent } from "../workers/messages.ts";
import { runParent } from "../workers/parent.ts";
import { runWorker } from "../workers/worker.ts";
import { announce } from "./announce.ts";
import { loggerOptions, serveHere, serviceLog } from "./serve-here.ts";
import { endBy, firstSignal } from "./signals.ts";

export interface How {
  /** A parent also watches a single worker. Several workers always have one. */
  readonly supervised: boolean;
  /** The phone page tells why there is no answer: who looks at it is a developer. */
  readonly showsReasons: boolean;
}

/** What all processes would say alike, one says: the first worker, or the only process. */
export function speaksForAll({ io }: Call, loaded: Loaded, how: How): boolean {
  return cluster.isPrimary || (io.env[FIRST_WORKER] !== undefined && hasParent(loaded, how));
}

/** Runs the service until it is told to stop: in this process, or in others under this one. */
export async function runService(call: Call, loaded: Loaded, how: How): Promise<number> {
  if (cluster.isWorker) return runUnderParent(call, loaded, how);
  const end = hasParent(loaded, how) ? await runParent(call.io) : "alone";
  return end === "alone" ? runAlone(call, loaded, how) : end;
}

async function runUnderParent(call: Call, loaded: Loaded, how: How): Promise<number> {
  const { [DEAD_HOLDER]: holder, [FIRST_WORKER]: first } = call.io.env;
  if (holder !== undefined) return runFreeing(call, loaded, holder);
  if (first === undefined || hasParent(loaded, how)) return runWorker(call, loaded, how);
  await tellParent({ lull: "alone" });
  return 0;
}

function hasParent(loaded: Loaded, { supervised }: How): boolean {
  return loaded.server.workers > 1 || (supervised && isShared(loaded));
}

/**
 * A dead worker's leases are freed by a process beside the others. A user's own engine may not support being
 * opened twice.
 */
function isShared(loaded: Loaded): boolean {
  return /^(sqlite|aws)( |$)/.test(loaded.config(() => {}).engine.name);
}

async function runAlone(call: Call, loaded: Loaded, how: How): Promise<number> {
  const { stopGraceMs, hungMs } = loaded.server;
  const log = serviceLog(call, loaded);
  tellOfCrashes(log);
  const signal = firstSignal();
  const serving = await Promise.race([serveHere(call, loaded, how), signal]);
  // A store may take long to open, and no caller is served before.
  if (typeof serving === "string") return endBy(serving);
  if (hungMs > 0) await startGuard({ hungMs, log: loggerOptions(call, loaded) });
  announce(call.io, { ...loaded.server, url: serving.url, json: call.json });
  await signal;
  log("info", "service.stopping", { graceMs: stopGraceMs });
  await serving.close(stopGraceMs);
  log("info", "service.stopped");
  return 0;
}
