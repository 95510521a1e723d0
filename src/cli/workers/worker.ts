import type { Loaded } from "../../config/load.ts";
import { tellOfCrashes } from "../../process/crash.ts";
import { processIdentity } from "../../process/identity.ts";
import { withoutUsers } from "../../schema/plain-url.ts";
import type { Call } from "../command.ts";
import { requireDatabase } from "../data.ts";
import { exitCodeOf } from "../report-error.ts";
import { loggerOptions, serveHere, serviceLog } from "../serving/serve-here.ts";
import { startGuard } from "../watching/guard.ts";
import { signOfLife } from "../watching/sign-of-life.ts";
import { isPing, SHARED_PORT, tellParent, WORKER_NUMBER } from "./messages.ts";

/** A worker runs the whole service on the socket that it shares with its siblings. */
export async function runWorker(call: Call, loaded: Loaded): Promise<number> {
  const { env } = call.io;
  const fields = { worker: Number(env[WORKER_NUMBER]) };
  tellOfCrashes(serviceLog(call, loaded, fields));
  const answer = () => void tellParent({ lull: "pong", ...signOfLife() });
  process.on("message", (message) => {
    if (isPing(message)) answer();
  });
  // Node drops messages that came before the listener was set, so the first answer is sent unasked.
  answer();
  // Ctrl-C reaches every process of the terminal, but the parent decides how we stop.
  process.on("SIGINT", () => {});
  const stopped = new Promise<void>((resolve) => process.on("SIGTERM", () => resolve()));
  try {
    const holder = processIdentity();
    await tellParent({ lull: "identity", holder });
    // The parent created it. If it is gone by now, a new and empty one would hide that.
    await requireDatabase(loaded.server.db);
    // Without the parent we would not be replaced and our leases not freed. Node ends a worker that sees its
    // parent go; the guard ends one whose event loop is blocked.
    await startGuard({ what: "parent", pid: process.ppid, log: loggerOptions(call, loaded, fields) });
    const port = Number(env[SHARED_PORT] ?? loaded.server.port);
    const serving = await serveHere(call, loaded, { port, workerId: holder, fields });
    await tellParent({ lull: "ready", url: serving.url });
    await stopped;
    await serving.close(loaded.server.stopGraceMs);
    return 0;
  } catch (error) {
    const exitCode = exitCodeOf(error);
    await tellParent({ lull: "failed", message: withoutUsers((error as Error).message), exitCode });
    return exitCode;
  }
}
