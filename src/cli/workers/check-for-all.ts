import type { Loaded } from "../../config/load.ts";
import { ConfigError } from "../../errors.ts";
import type { Lull } from "../../index.ts";
import type { Call } from "../command.ts";
import { orStop, requireSound, serviceLog } from "../serving/serve-here.ts";
import { isServe, type Supervision, tellParent } from "./messages.ts";
import { probePort } from "./probe-port.ts";

/**
 * What the first worker does for all of them: it alone creates the database's folder, runs its migrations and
 * checks what has to be right. The others are started after it, and the parent learns from it how.
 */
export async function checkForAll(
  call: Call,
  loaded: Loaded,
  lullHere: () => Lull,
): Promise<{ lull: Lull; port: number }> {
  const { server } = loaded;
  if (loaded.config(() => {}).engine.forOneProcess) {
    throw new ConfigError(
      "several workers need a store that they share; the memory engine is for one process",
    );
  }
  const port = await probePort(server.port, server.host);
  const lull = lullHere();
  await orStop(lull, () => requireSound(lull, loaded, serviceLog(call, loaded)));
  const { workers, host, stopGraceMs: graceMs, hungMs, logLevel, logFormat } = server;
  await toldToServe({ workers, host, port, graceMs, hungMs, logLevel, logFormat, json: call.json });
  return { lull, port };
}

/** The parent listens to us as to any worker only from its answer on. */
async function toldToServe(supervision: Supervision): Promise<void> {
  const told = Promise.withResolvers<void>();
  const listen = (message: unknown) => {
    if (isServe(message)) told.resolve();
  };
  process.on("message", listen);
  await tellParent({ lull: "checked", supervision });
  await told.promise;
  process.off("message", listen);
}
