import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../test/staged-package.ts";
import { backlogTable } from "./backlog/backlog-table.ts";
import { runBacklog } from "./backlog/run-backlog.ts";
import { faultsIn } from "./check-run.ts";
import { BACKLOG_FILE, latestResults, RESULTS_FILE, SCALE_FILE, WORKERS_FILE } from "./latest-results.ts";
import { printed, withResults } from "./performance-page.ts";
import { drawPlot, PLOTS } from "./plots.ts";
import { prepare } from "./prepare.ts";
import type { Results } from "./results.ts";
import { runBench } from "./run-bench.ts";
import { runScale } from "./scale/run-scale.ts";
import { scaleTable } from "./scale/scale-table.ts";
import { QUICK, SCENARIOS, WHOLE } from "./scenarios.ts";
import { SERVERS } from "./servers.ts";
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

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
    servers: { type: "string" },
    scenarios: { type: "string" },
    repetitions: { type: "string" },
  },
});

function chosen<T extends string>(all: readonly T[], names: string | undefined): readonly T[] {
  const asked = names?.split(",");
  const unknown = asked?.find((name) => !all.some((each) => each === name));
  if (unknown !== undefined) throw new Error(`there is no ${unknown}: ${all.join(", ")}`);
  return asked === undefined ? all : all.filter((each) => asked.includes(each));
}

async function bench(): Promise<Results> {
  const base = values.quick ? QUICK : WHOLE;
  const size = { ...base, repetitions: Number(values.repetitions ?? base.repetitions) };
  const asked = chosen(SERVERS, values.servers);
  const surroundings = await prepare(asked);
  for (const what of surroundings.skipped) console.error(`left out: ${what}`);
  const servers = asked.filter((name) => name !== "bullmq" || surroundings.skipped.length === 0);
  const scenarios = chosen(SCENARIOS, values.scenarios);
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
  run: (onProgress: OnProgress) => Promise<Found>,
): Promise<void> {
  const { machine } = await prepare(["lull"]);
  const results = { day: today(), machine, ...(await run((line) => console.error(line))) };
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  writePage();
  console.log(table(results));
}

const timesOr = (usual: number) => Number(values.repetitions ?? usual);

const APART: Readonly<Record<string, () => Promise<unknown>>> = {
  visitor: () => import("./one-visitor.ts"),
  scale: () =>
    apart(SCALE_FILE, scaleTable, async (onProgress) => ({
      rows: await runScale(MILLION, timesOr(SCALE_REPETITIONS), onProgress),
    })),
  workers: () =>
    apart(WORKERS_FILE, workersTables, async (onProgress) => ({
      runs: await runWorkers(timesOr(WORKERS_REPETITIONS), onProgress),
    })),
  backlog: () =>
    apart(BACKLOG_FILE, backlogTable, async (onProgress) => ({
      conversations: BACKLOG,
      runs: await runBacklog(BACKLOG, timesOr(BACKLOG_REPETITIONS), onProgress),
    })),
};

async function unknown(): Promise<never> {
  throw new Error(`there is no ${positionals[0]}: ${Object.keys(APART).join(", ")}`);
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const [asked] = positionals;
if (values.help) console.log(HELP);
else if (asked !== undefined) await (APART[asked] ?? unknown)();
else {
  const results = await bench();
  const isWhole = !values.quick && values.servers === undefined && values.scenarios === undefined;
  if (isWhole || values.write) write(results);
  console.log(printed(results));
  const faults = results.runs.flatMap((run) => (run.server === "lull" ? faultsIn(run.faults) : []));
  console.log(faults.length === 0 ? "\nLull: no fault in any run" : `\nLull: ${faults.join(", ")}`);
  if (faults.length > 0) process.exitCode = 1;
}
