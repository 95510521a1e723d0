import { access, constants } from "node:fs/promises";
import type { Loaded } from "../config/load.ts";
import { createLull, type Lull } from "../index.ts";
import type { Log } from "../model/log.ts";
import type { Engine } from "../ports/engine.ts";
import type { Call } from "./command.ts";
import { createLog, logShape } from "./logger.ts";
import { CommandFailed } from "./usage-error.ts";

export interface Opened {
  readonly lull: Lull;
  readonly engine: Engine;
  readonly loaded: Loaded;
}

export interface DataOptions {
  /** For commands that make sense before the service ever ran. */
  readonly mayCreate?: boolean;
  /** Throws for a wrong call, before anything is opened or created. */
  readonly check?: (loaded: Loaded) => void;
}

/**
 * Opens the store for one command and closes it again. The service may run meanwhile: SQLite lets many
 * processes in.
 */
export async function withData(
  call: Call,
  run: (opened: Opened) => Promise<number>,
  options: DataOptions = {},
): Promise<number> {
  return withService(
    call,
    async ({ lull, loaded }) => run({ lull, loaded, engine: await lull.engine() }),
    async (loaded) => {
      options.check?.(loaded);
      if (!options.mayCreate) await requireDatabase(loaded.server.db);
    },
  );
}

/** The same for a command that may do without the store: it is opened when it is asked for. */
export async function withService(
  call: Call,
  run: (service: Pick<Opened, "lull" | "loaded">) => Promise<number>,
  check: (loaded: Loaded) => Promise<void> = async () => {},
): Promise<number> {
  const loaded = await call.load("look");
  await check(loaded);
  const lull = createLull(loaded.config(withoutRows(quietLog(call), call)));
  try {
    return await run({ lull, loaded });
  } finally {
    await lull.stop(0);
  }
}

/** Creating an empty database instead of an error would hide that the operator is in the wrong folder. */
export async function requireDatabase(db: string | undefined): Promise<void> {
  if (db === undefined) return;
  await access(db, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(unusable(db, error.code));
  });
}

function unusable(db: string, code: string | undefined): string {
  // The service's files belong to its own user; the operator is often another.
  if (code === "EACCES" || code === "EPERM")
    return (
      `this user may not use the database at ${db}. Run the command as the user of the service: ` +
      "sudo -u <user> ..."
    );
  return `there is no database at ${db}. Start the service first, or name the file with --db or LULL_DB`;
}

/** Each row that a look passes over is a line of the service's log. Commands count them: `status` does. */
function withoutRows(log: Log, call: Call): Log {
  if (call.options.verbose === true) return log;
  return (level, event, fields) => {
    if (event !== "store.quarantined") log(level, event, fields);
  };
}

/** A command's result is its own output; only trouble is logged beside it. */
export function quietLog(call: Call) {
  return createLog({
    level: call.options.verbose === true ? "debug" : "warn",
    ...logShape(call.io),
    nowMs: call.io.nowMs,
    write: call.io.err,
  });
}

/** For commands that never open the store. */
export const silent = () => {};
