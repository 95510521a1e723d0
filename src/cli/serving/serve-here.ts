import type { Loaded } from "../../config/load.ts";
import { type Serving, serve } from "../../http/node.ts";
import { createLull, type Lull } from "../../index.ts";
import type { Log, LogFields } from "../../model/log.ts";
import type { Call } from "../command.ts";
import { checkHost, checkOpenPort } from "../doctor/open-port.ts";
import { createLog, type LoggerOptions } from "../logger.ts";
import { requireStore } from "./require-store.ts";
import { requireTokens } from "./require-tokens.ts";

export interface ServeHere {
  readonly port: number;
  readonly workerId?: string;
  readonly fields?: LogFields;
}

/** The whole service in this process: HTTP, turns, sweeping. */
export async function serveHere(
  call: Call,
  loaded: Loaded,
  { port, workerId, fields }: ServeHere,
): Promise<Serving> {
  const log = serviceLog(call, loaded, fields);
  const lull = createLull({ ...loaded.config(log), ...(workerId !== undefined && { workerId }) });
  try {
    // A worker's parent has checked for all of them.
    if (workerId === undefined) await requireSound(lull, loaded, log);
    return await serve(lull, { port, host: loaded.server.host });
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

/** The options that can be passed to a thread. */
export function loggerOptions(
  call: Call,
  loaded: Loaded,
  fields: LogFields = {},
): Pick<LoggerOptions, "level" | "pretty" | "fields"> {
  return { level: loaded.server.logLevel, pretty: call.io.stderrIsTty, fields };
}
