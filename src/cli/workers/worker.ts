import type { Loaded } from "../../config/load.ts";
import type { EdgeOptions } from "../../http/edge.ts";
import { type Serving, serve } from "../../http/node.ts";
import { createLull, type Lull } from "../../index.ts";
import { tellOfCrashes } from "../../process/crash.ts";
import { processIdentity } from "../../process/identity.ts";
import { systemClock } from "../../runtime/system-clock.ts";
import { withoutUsers } from "../../schema/plain-url.ts";
import type { Call } from "../command.ts";
import { requireDatabase } from "../data.ts";
import { exitCodeOf } from "../report-error.ts";
import { orStop, serviceLog } from "../serving/serve-here.ts";
import { endBy } from "../serving/signals.ts";
import { signOfLife } from "../watching/sign-of-life.ts";
import { checkForAll } from "./check-for-all.ts";
import { Counts } from "./counts.ts";
import { freeIn } from "./free-for-parent.ts";
import {
  FIRST_WORKER,
  isFree,
  isPing,
  SERVICE_STARTED,
  SHARED_PORT,
  tellParent,
  WORKER_NUMBER,
} from "./messages.ts";

/** A worker runs the whole service on the socket that it shares with its siblings. */
export async function runWorker(
  call: Call,
  loaded: Loaded,
  shown: Pick<EdgeOptions, "showsReasons">,
): Promise<number> {
  const { env } = call.io;
  const log = serviceLog(call, loaded, fieldsOf(call));
  tellOfCrashes(log);
  const holder = processIdentity();
  const counts = new Counts(systemClock);
  const partOf = { startedAtMs: Number(env[SERVICE_STARTED]), totals: () => counts.totals() };
  const lullHere = () => createLull({ ...loaded.config(log), workerId: holder, partOf }, shown);
  const place = { lullHere, holder, port: Number(env[SHARED_PORT]), counts };
  if (env[FIRST_WORKER] === undefined) return serveUnderParent(loaded, place);
  // What is wrong here is told as by any command, and the parent ends with our exit code.
  const { lull, port } = await checkForAll(call, loaded, lullHere);
  return serveUnderParent(loaded, { ...place, lullHere: () => lull, port });
}

interface Place {
  readonly lullHere: () => Lull;
  readonly holder: string;
  readonly port: number;
  readonly counts: Counts;
}

async function serveUnderParent(loaded: Loaded, place: Place): Promise<number> {
  answerParent(place.counts);
  // Ctrl-C reaches every process of the terminal, but the parent decides how we stop.
  process.on("SIGINT", () => {});
  const stopped = new Promise<"SIGTERM">((resolve) => process.on("SIGTERM", resolve));
  try {
    const serving = await Promise.race([serveAt(loaded, place), stopped]);
    // A store may take long to open, and no caller is served before.
    if (typeof serving === "string") return endBy(serving);
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

function answerParent(counts: Counts): void {
  const answer = () => {
    const series = counts.news();
    void tellParent({ lull: "pong", ...signOfLife(), ...(series && { series }) });
  };
  process.on("message", (message) => {
    if (isPing(message)) answer();
  });
  // Node drops messages that came before the listener was set, so the first answer is sent unasked.
  answer();
}

async function serveAt(loaded: Loaded, { lullHere, holder, port, counts }: Place): Promise<Serving> {
  const { server } = loaded;
  await tellParent({ lull: "identity", holder });
  // The first worker created it. If it is gone by now, a new and empty one would hide that.
  await requireDatabase(server.db);
  const lull = lullHere();
  counts.of(lull.counters);
  return orStop(lull, () => {
    process.on("message", (message) => {
      if (isFree(message)) void freeIn(lull, loaded, message.holder);
    });
    return serve(lull, { port, host: server.host });
  });
}

function fieldsOf({ io }: Call) {
  return { worker: Number(io.env[WORKER_NUMBER]) };
}
