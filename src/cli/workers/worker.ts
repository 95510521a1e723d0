import type { Loaded } from "../../config/load.ts";
import { processIdentity } from "../../process-identity.ts";
import type { Call } from "../command.ts";
import { requireDatabase } from "../data.ts";
import { exitCodeOf } from "../report-error.ts";
import { serveHere } from "../serving/serve-here.ts";
import { SHARED_PORT, tellParent, WORKER_NUMBER } from "./messages.ts";

/** A worker runs the whole service on the socket that it shares with its siblings. */
export async function runWorker(call: Call, loaded: Loaded): Promise<number> {
  // The parent is gone, however it went: without it nobody would replace us or free our leases.
  process.on("disconnect", () => process.exit(0));
  // Ctrl-C reaches every process of the terminal; it is the parent who decides how we stop.
  process.on("SIGINT", () => {});
  const stopped = new Promise<void>((resolve) => process.on("SIGTERM", () => resolve()));
  try {
    const workerId = processIdentity();
    await tellParent({ lull: "identity", workerId });
    // The parent made it. If it is gone by now, a new and empty one would hide that.
    await requireDatabase(loaded.server.db);
    const { env } = call.io;
    const port = Number(env[SHARED_PORT] ?? loaded.server.port);
    const serving = await serveHere(call, loaded, {
      port,
      workerId,
      fields: { worker: Number(env[WORKER_NUMBER]) },
    });
    await tellParent({ lull: "ready", url: serving.url });
    await stopped;
    await serving.close(loaded.server.stopGraceMs);
    return 0;
  } catch (error) {
    const exitCode = exitCodeOf(error);
    await tellParent({ lull: "failed", message: (error as Error).message, exitCode });
    return exitCode;
  }
}
