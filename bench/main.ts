import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../test/staged-package.ts";
import { chosenFrom, isUsageError, timesIn } from "./arguments.ts";
import { backlogTable } from "./backlog/backlog-table.ts";
import { runBacklog } from "./backlog/run-backlog.ts";
import { faultsIn } from "./check-run.ts";
import { BACKLOG_FILE, latestResults, RESULTS_FILE, SCALE_FILE, WORKERS_FILE } from "./latest-results.ts";
import { exitOnSignals } from "./left-behind.ts";
import { printed, withResults } from "./performance-page.ts";
import { drawPlot, PLOTS } from "./plots.ts";
import { prepare } from "./prepare.ts";
import type { Results } from "./results.ts";
import { runBench } from "./run-bench.ts";
import { runScale } from "./scale/run-scale.ts";
import { scaleTable } from "./scale/scale-table.ts";
import { QUICK, SCENARIOS, type ScenarioName, type Size, WHOLE } from "./scenarios.ts";
import { SERVERS, type ServerName } from "./servers.ts";
import { runWorkers } from "./workers/run-workers.ts";
import { workersTables } from "./workers/workers-table.ts";

const HELP = `npm run bench              all, about 25 minutes; writes docs/performance.md and its plots
npm run bench -- --quick   a small one, within 3 minutes; writes nothing unless --write is given
npm run bench -- visitor [rounds] [messages a turn]   what one visitor costs all others
npm run bench -- scale [--repetitions N]   start and turns with a million conversations; writes its table
npm run bench -- workers [--repetitions N]   one, two and four workers; writes its tables
npm run bench -- backlog [--repetitions N]   20,000 turns due in the same moment; writes its table

  --servers    ${SERVERS.join(",")}
  --scenarios  ${SCENARIOS.join(",")}
  --repetitions N`;

const MILLION = { conversations: 1_000_000, longMessages: 10_000 };
const SCALE_REPETITIONS = 5;
const WORKERS_REPETITIONS = 5;
const BACKLOG = 20_000;
const BACKLOG_REPETITIONS = 3;

const OPTIONS = {
  quick: { type: "boolean", default: false },
  write: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
  servers: { type: "string" },
  scenarios: { type: "string" },
  repetitions: { type: "string" },
} as const;

const { values, positionals } = read();

function read() {
  try {
    return parseArgs({ allowPositionals: true, options: OPTIONS });
  } catch (error) {
    return refuse(error);
  }
}

/** What cannot be understood is said in a line; anything else is an error of the bench's own. */
function refuse(error: unknown): never {
  if (!isUsageError(error)) throw error;
  console.error(`bench: ${error.message}`);
  process.exit(2);
}

interface Asked {
  readonly size: Size;
  readonly servers: readonly ServerName[];
  readonly scenarios: readonly ScenarioName[];
}

function askedFor(): Asked {
  const base = values.quick ? QUICK : WHOLE;
  const repetitions = timesIn("--repetitions", values.repetitions, base.repetitions);
  const servers = chosenFrom(SERVERS, values.servers);
  return { size: { ...base, repetitions }, servers, scenarios: chosenFrom(SCENARIOS, values.scenarios) };
}

async function bench({ size, servers: asked, scenarios }: Asked): Promise<Results> {
  const surroundings = await prepare(asked);
  for (const what of surroundings.skipped) console.error(`left out: ${what}`);
  const servers = asked.filter((name) => name !== "bullmq" || surroundings.skipped.length === 0);
  const ran = await runBench({ servers, scenarios, size, onProgress: (line) => console.error(line) });
  const skipped = [...surroundings.skipped, ...ran.failed];
  if (ran.failed.length > 0) process.exitCode = 1;
  return { day: today(), ...surroundings, skipped, size, runs: ran.runs };
}

function write(results: Results): void {
  writeFileSync(RESULTS_FILE, `${JSON.stringify(results, null, 2)}\n`);
  writePage();
  for (const [file, plot] of Object.entries(PLOTS)) writeFileSync(join(ROOT, file), drawPlot(results, plot));
}

function writePage(): void {
  const page = join(ROOT, "docs/performance.md");
  writeFileSync(page, withResults(readFileSync(page, "utf8"), latestResults()));
}

type OnProgress = (line: string) => void;

/** Measured by a command of its own: kept in a file of its own, with a place of its own on the page. */
async function apart<Found extends object>(
  file: string,
  table: (results: Found & Pick<Results, "day" | "machine">) => string,
  usualTimes: number,
  run: (times: number, onProgress: OnProgress) => Promise<Found>,
): Promise<void> {
  const times = timesIn("--repetitions", values.repetitions, usualTimes);
  const { machine } = await prepare(["lull"]);
  const results = { day: today(), machine, ...(await run(times, (line) => console.error(line))) };
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  writePage();
  console.log(table(results));
}

const APART: Readonly<Record<string, () => Promise<unknown>>> = {
  visitor: () => import("./one-visitor.ts"),
  scale: () =>
    apart(SCALE_FILE, scaleTable, SCALE_REPETITIONS, async (times, onProgress) => ({
      rows: await runScale(MILLION, times, onProgress),
    })),
  workers: () =>
    apart(WORKERS_FILE, workersTables, WORKERS_REPETITIONS, async (times, onProgress) => ({
      runs: await runWorkers(times, onProgress),
    })),
  backlog: () =>
    apart(BACKLOG_FILE, backlogTable, BACKLOG_REPETITIONS, async (times, onProgress) => ({
      conversations: BACKLOG,
      runs: await runBacklog(BACKLOG, times, onProgress),
    })),
};

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

async function benchAll(): Promise<void> {
  const results = await bench(askedFor());
  const isWhole = !values.quick && values.servers === undefined && values.scenarios === undefined;
  // What is published stays where nothing could be measured.
  if ((isWhole || values.write) && results.runs.length > 0) write(results);
  console.log(printed(results));
  const faults = results.runs.flatMap((run) => (run.server === "lull" ? faultsIn(run.faults) : []));
  console.log(faults.length === 0 ? "\nLull: no fault in any run" : `\nLull: ${faults.join(", ")}`);
  if (faults.length > 0) process.exitCode = 1;
}

async function run(): Promise<void> {
  const [asked] = positionals;
  if (values.help) console.log(HELP);
  else if (asked === undefined) await benchAll();
  else for (const name of chosenFrom(Object.keys(APART), asked)) await APART[name]?.();
}

exitOnSignals();
await run().catch(refuse);
