import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CallLog } from "./call-log.ts";
import { checkRun, type Faults } from "./check-run.ts";
import { Child } from "./child.ts";
import { monotonicMs, sleep, sleepUntil } from "./clock.ts";
import { type Figures, figuresOf, type Seen } from "./figures.ts";
import { freePort } from "./free-port.ts";
import { removeFolder, temporaryFolder } from "./left-behind.ts";
import type { LoadOrder, LoadReport } from "./load.ts";
import { conversationOf } from "./load-plan.ts";
import { Sampler } from "./sampler.ts";
import type { Scenario } from "./scenarios.ts";
import { type Place, type Server, type ServerName, START } from "./servers.ts";

export interface Measured {
  readonly server: ServerName;
  readonly scenario: Scenario["name"];
  readonly figures: Figures;
  readonly faults: Faults;
  readonly late: number;
}

const FAKES = fileURLToPath(new URL("./fakes.ts", import.meta.url));
const LOAD = fileURLToPath(new URL("./load.ts", import.meta.url));
/** Without a message finished for so long, what is left counts as lost. Longer than a lost send settles. */
const STILL_MS = 45_000;
/** Far beyond any load of these: a server that takes nothing more is not waited for. */
const LOAD_WITHIN_MS = 180_000;
const DRAIN_PACE_MS = 100;

/** How a server is started, where it is not as usual; and who wants to know when the load ran. */
export interface How extends Pick<Place, "workers" | "env"> {
  readonly onLoad?: (load: LoadReport) => void;
}

/** One server, one scenario, every process new. */
export async function measure(server: ServerName, scenario: Scenario, how: How = {}): Promise<Measured> {
  const folder = temporaryFolder("lull-bench-");
  const fakes = new Child(process.execPath, [FAKES], { folder });
  try {
    const seen = await observe(server, scenario, folder, await fakes.printed(/listening on (\S+)$/m), how);
    const { load, log } = seen;
    const isFloor = server === "floor";
    const { faults, lateness, late } = checkRun({
      posted: isFloor ? { ...load, ackedAtMs: [] } : load,
      log,
      conversationOf: (message) => conversationOf(message, scenario.plan),
      windowMs: scenario.windowMs,
    });
    return { server, scenario: scenario.name, figures: figuresOf(seen, lateness), faults, late };
  } finally {
    await fakes.kill();
    removeFolder(folder);
  }
}

async function observe(
  name: ServerName,
  scenario: Scenario,
  folder: string,
  fakesUrl: string,
  { onLoad, ...how }: How,
): Promise<Seen> {
  const data = join(folder, "server");
  await mkdir(data);
  const place: Place = {
    ...{ folder: data, port: await freePort(), fakesUrl },
    ...{ windowMs: scenario.windowMs, isKilled: scenario.killAtMs !== undefined },
    ...how,
  };
  let server = await START[name](place);
  const file = join(folder, "load.json");
  const order: LoadOrder = { url: server.url, plan: scenario.plan, file };
  const generator = new Child(process.execPath, [LOAD, JSON.stringify(order)], { folder });
  const sampler = new Sampler(() => server);
  try {
    const startedAtMs = Number(await generator.printed(/started at (\S+)$/m));
    sampler.start(startedAtMs + scenario.countedFromMs);
    const restart = await killAndStart(name, place, scenario, startedAtMs, server);
    if (restart !== undefined) server = restart.server;
    await generator.gone(LOAD_WITHIN_MS);
    sampler.stop();
    const load = JSON.parse(await readFile(file, "utf8")) as LoadReport;
    onLoad?.(load);
    if (name !== "floor") await drained(fakesUrl, load.ackedAtMs.filter((atMs) => atMs > 0).length);
    const log = (await (await fetch(`${fakesUrl}/log`)).json()) as CallLog;
    return { scenario, load, log, samples: sampler.samples, restart };
  } finally {
    sampler.stop();
    await generator.kill();
    await server.kill();
  }
}

async function killAndStart(
  name: ServerName,
  place: Place,
  { killAtMs }: Scenario,
  startedAtMs: number,
  running: Server,
): Promise<{ server: Server; killedAtMs: number; readyMs: number } | undefined> {
  if (killAtMs === undefined) return undefined;
  await sleepUntil(startedAtMs + killAtMs);
  await running.kill();
  const killedAtMs = monotonicMs();
  const server = await START[name](place);
  return { server, killedAtMs, readyMs: server.readyMs };
}

/** Until the fakes have seen everything that was acknowledged, or nothing has come for long. */
async function drained(fakesUrl: string, acknowledged: number): Promise<void> {
  let last = { finished: -1, atMs: monotonicMs() };
  while (last.finished < acknowledged && monotonicMs() - last.atMs < STILL_MS) {
    const finished = Number(await (await fetch(`${fakesUrl}/finished`)).text());
    if (finished !== last.finished) last = { finished, atMs: monotonicMs() };
    await sleep(DRAIN_PACE_MS);
  }
}
