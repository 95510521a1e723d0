import { fork } from "node:child_process";
import { randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Exploration, explore } from "../../src/testing/simulator/explore.ts";
import { shrink } from "../../src/testing/simulator/shrink.ts";
import { simulate } from "../../src/testing/simulator/simulate.ts";
import { timeline } from "../../src/testing/simulator/timeline.ts";
import { ENGINES, type EngineName, engineMaker } from "./engines.ts";

const USAGE = `npm run simulate -- [options]

  --schedules N      how many runs (default 5000)
  --engine NAME      memory (default), sqlite or aws
  --from N           first seed (default: a new one each time)
  --seed N           replay one run and print its timeline; a failing one is shrunk first
  --jobs N           processes (default: one per core)`;

const PER_PROCESS_MAX = 1_000;

const { values } = parseArgs({
  options: {
    schedules: { type: "string", default: "5000" },
    engine: { type: "string", default: "memory" },
    from: { type: "string" },
    seed: { type: "string" },
    jobs: { type: "string" },
    part: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const engine = engineNamed(values.engine);
const { simulation, cells, end } = engineMaker(engine);
const schedules = Number(values.schedules);

if (values.help) console.log(USAGE);
else if (values.seed !== undefined) process.exitCode = await replay(Number(values.seed));
else if (values.part) await runPart();
else process.exitCode = await runAll();
end();

function engineNamed(name: string): EngineName {
  const known = ENGINES.find((each) => each === name);
  if (!known) throw new Error(`no engine ${name}: ${ENGINES.join(", ")}`);
  return known;
}

async function replay(seed: number): Promise<number> {
  const run = await simulate(seed, simulation);
  const shown = run.violations.length > 0 ? await shrink(run, simulation) : run;
  console.log(timeline(shown));
  if (run.violations.length > 0)
    console.log(`\nshrunk from ${run.plan.messages.length} messages and ${run.plan.faults.length} faults`);
  return run.violations.length > 0 ? 1 : 0;
}

/** A share of the seeds, in a process of its own. */
async function runPart(): Promise<void> {
  const onProgress = (done: number, broken: number) => process.send?.({ done, broken });
  const found = await explore({ ...simulation, fromSeed: Number(values.from), schedules, onProgress });
  await new Promise((sent) => process.send?.({ found }, sent));
  process.disconnect?.();
}

async function runAll(): Promise<number> {
  const jobs = Math.min(Number(values.jobs ?? availableParallelism()), schedules);
  const from = values.from === undefined ? randomInt(2 ** 31) : Number(values.from);
  const startedAt = performance.now();
  const progress = new Array<number>(jobs).fill(0);
  let shownAt = 0;
  // A terminal sees every step of it; a log file a line a minute.
  const show = () => {
    const line = `${progress.reduce((a, b) => a + b, 0)} of ${schedules} schedules`;
    if (process.stderr.isTTY) process.stderr.write(`\r${line}`);
    else if (performance.now() - shownAt > 60_000) {
      console.error(line);
      shownAt = performance.now();
    }
  };
  const parts = Array.from({ length: jobs }, (_, job) => {
    const share = Math.floor(schedules / jobs) + (job < schedules % jobs ? 1 : 0);
    return runShare(from + job * Math.ceil(schedules / jobs), share, (done) => {
      progress[job] = done;
      show();
    });
  });
  const all = merge((await Promise.all(parts)).flat());
  report(all, from, (performance.now() - startedAt) / 1_000);
  return all.broken.length > 0 ? 1 : 0;
}

/** One process after the other: on SQLite, each keeps a descriptor of every file that it has opened. */
async function runShare(
  from: number,
  share: number,
  onDone: (done: number) => void,
): Promise<readonly Exploration[]> {
  const found: Exploration[] = [];
  for (let before = 0; before < share; before += PER_PROCESS_MAX) {
    const count = Math.min(PER_PROCESS_MAX, share - before);
    found.push(await runChild(from + before, count, (done) => onDone(before + done)));
  }
  return found;
}

function runChild(from: number, share: number, onDone: (done: number) => void): Promise<Exploration> {
  const self = fileURLToPath(import.meta.url);
  const child = fork(self, [
    "--part",
    "--engine",
    engine,
    "--from",
    String(from),
    "--schedules",
    String(share),
  ]);
  return new Promise((resolve, reject) => {
    child.on("message", (message: { done?: number; found?: Exploration }) => {
      if (message.done !== undefined) onDone(message.done);
      if (message.found) resolve(message.found);
    });
    child.on("exit", (code) => reject(new Error(`a part of the simulation ended with ${code}`)));
  });
}

function merge(parts: readonly Exploration[]): Exploration {
  const cells: Record<string, number> = {};
  for (const part of parts)
    for (const [cell, hits] of Object.entries(part.cells)) cells[cell] = (cells[cell] ?? 0) + hits;
  return {
    schedules: parts.reduce((sum, part) => sum + part.schedules, 0),
    steps: parts.reduce((sum, part) => sum + part.steps, 0),
    broken: parts.flatMap((part) => part.broken),
    cells,
  };
}

function report(all: Exploration, from: number, seconds: number): void {
  console.log(
    `\n${all.schedules} schedules on ${engine} from seed ${from}, ${all.steps} steps, ` +
      `${seconds.toFixed(0)} s`,
  );
  console.log("how often each fault hit each step:");
  for (const { step, kind } of cells) {
    console.log(`${String(all.cells[`${kind} @ ${step}`] ?? 0).padStart(9)}  ${kind} @ ${step}`);
  }
  for (const seed of all.broken.slice(0, 20))
    console.log(`BROKEN: npm run simulate -- --engine ${engine} --seed ${seed}`);
  const held = all.schedules - all.broken.length;
  console.log(`${held} passed, ${all.broken.length} failed`);
}
