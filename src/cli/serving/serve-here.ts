import type { Loaded } from "../../config/load.ts";
import type { EdgeOptions } from "../../http/edge.ts";
import { type Serving, serve } from "../../http/node.ts";
import { createLull, type Lull } from "../../index.ts";
import type { Log, LogFields } from "../../model/log.ts";
import type { Call } from "../command.ts";
import { checkHost, checkOpenPort } from "../doctor/open-port.ts";
import { createLog, logShape } from "../logger.ts";
import type { ThreadLog } from "../watching/thread-log.ts";
import { requireStore } from "./require-store.ts";
import { requireTokens } from "./require-tokens.ts";

/** The whole service in this process, once all is sound: HTTP, turns, sweeping. */
export async function serveHere(
  call: Call,
  loaded: Loaded,
  shown: Pick<EdgeOptions, "showsReasons">,
): Promise<Serving> {
  const log = serviceLog(call, loaded);
  const lull = createLull(loaded.config(log), shown);
  return orStop(lull, async () => {
    await requireSound(lull, loaded, log);
    return serve(lull, loaded.server);
  });
}

/** What was opened on the way does not outlive a failure. */
export async function orStop<T>(lull: Lull, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await lull.stop(0);
    throw error;
  }
}

/** What has to be right before the service listens. */
export async function requireSound(lull: Lull, { server }: Loaded, log: Log): Promise<void> {
  await lull.requireFit();
  for (const { detail } of checkHost(server.host)) log("warn", "port.open", { detail });
  for (const { detail } of checkOpenPort(server.host, lull.channels)) log("warn", "channel.open", { detail });
  await requireTokens(lull);
  await requireStore(await lull.engine(), log);
}

export function serviceLog(call: Call, loaded: Loaded, fields: LogFields = {}): Log {
  const { nowMs, logLine } = call.io;
  return createLog({ ...loggerOptions(call, loaded, fields), nowMs, write: logLine });
}

/** What was set under a name that nothing reads. */
export function tellMisspelt(call: Call, loaded: Loaded): void {
  const log = serviceLog(call, loaded);
  for (const message of loaded.misspelt) log("warn", "config.misspelt", { message });
}

/** The options that can be passed to a thread. */
export function loggerOptions(call: Call, loaded: Loaded, fields: LogFields = {}): ThreadLog {
  const { logLevel, logFormat } = loaded.server;
  return { level: logLevel, ...logShape(call.io, logFormat), fields };
}
