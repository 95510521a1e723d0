import { randomInt } from "node:crypto";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { seeded } from "../../src/testing/simulator/random.ts";
import { copyOf } from "./copy.ts";
import { reasonFor } from "./explained.ts";
import type { Verdict } from "./lane.ts";
import { Lane } from "./lane-process.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { runNamed } from "./named.ts";
import { SUITES, type Suite } from "./suites.ts";

const USAGE = `npm run mutate -- [options]

  --only FOLDER      mutants of one folder: ${SUITES.map(({ folder }) => folder).join(", ")}
  --file PATH        mutants of one file
  --sample N         that many of each folder, drawn by lot (default: all)
  --seed S           which ones (default: a new one each time)
  --jobs N           lanes (default: one per core)
  --from FILE        only those that the output of an earlier run names as survivors without an explanation
  --again            only those that explained.ts names: one that is killed now has no business there
  --named            instead: protections whose absence went unnoticed once, each with its test
  --protection TEXT  of those, the ones whose name holds it`;

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    file: { type: "string" },
    sample: { type: "string" },
    seed: { type: "string" },
    jobs: { type: "string" },
    from: { type: "string" },
    again: { type: "boolean", default: false },
    named: { type: "boolean", default: false },
    protection: { type: "string", default: "" },
    help: { type: "boolean", default: false },
  },
});

const LINES_MOVED_MAX = 20;
const earlier = values.from
  ? readFileSync(values.from, "utf8")
      .split("\n")
      .filter((line) => line.includes("SURVIVED"))
  : [];

interface Job {
  readonly suite: Suite;
  readonly mutant: Mutant;
}
interface Tried extends Job {
  readonly verdict: Verdict["kind"] | "timed out";
  readonly by?: string;
}

if (values.help) console.log(USAGE);
else if (values.named) process.exitCode = await runNamed(ROOT, values.protection);
else process.exitCode = await runMutants();

async function runMutants(): Promise<number> {
  const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
  const suites = SUITES.filter(
    ({ folder }) => (values.only ?? folder) === folder && (values.file ?? folder).startsWith(folder),
  );
  const jobs = suites.flatMap((suite) => drawn(jobsOf(suite), seed));
  console.log(`${jobs.length} mutants, seed ${seed}`);
  const folder = mkdtempSync(join(tmpdir(), "lull-mutants-"));
  const inMemory = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "lull-mutants-"));
  process.env.LULL_MUTANTS_IN_MEMORY = inMemory;
  try {
    // As it is now, also for a lane that is replaced later: the working copy may change meanwhile.
    const whole = copyOf(ROOT, join(folder, "whole"));
    const tried = await tryAll(jobs, suites, { folder, whole });
    report(tried, suites);
    return tried.some(({ verdict, mutant }) => verdict === "survived" && !reasonFor(mutant)) ? 1 : 0;
  } finally {
    for (const each of [folder, inMemory]) rmSync(each, { recursive: true, force: true });
  }
}

function jobsOf(suite: Suite): Job[] {
  return globSync(`${suite.folder}/**/*.ts`, { cwd: ROOT })
    .filter((file) => !file.endsWith(".test.ts") && (values.file ?? file) === file)
    .sort()
    .flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), "utf8")))
    .filter((mutant) => !values.again || reasonFor(mutant))
    .filter((mutant) => earlier.length === 0 || isLeft(mutant))
    .map((mutant) => ({ suite, mutant }));
}

function isLeft(mutant: Mutant): boolean {
  return !reasonFor(mutant) && earlier.some((line) => isNamedIn(line, mutant));
}

/** Its line may have moved a little since. */
function isNamedIn(line: string, mutant: Mutant): boolean {
  const [, file, at, change] = / ([^ ]+):(\d+) {2}(.*?)(?: {2}\(.*\))?$/.exec(line) ?? [];
  const isNear = Math.abs(Number(at) - mutant.line) <= LINES_MOVED_MAX;
  return file === mutant.file && change === mutant.change && isNear;
}

function drawn(jobs: readonly Job[], seed: number): Job[] {
  const random = seeded(seed);
  const left = [...jobs];
  const count = Math.min(left.length, Number(values.sample ?? left.length));
  const taken = Array.from({ length: count }, () => left.splice(random.below(left.length), 1)[0]!);
  return taken.sort((a, b) => jobs.indexOf(a) - jobs.indexOf(b));
}

async function tryAll(
  jobs: readonly Job[],
  suites: readonly Suite[],
  { folder, whole }: { readonly folder: string; readonly whole: string },
): Promise<Tried[]> {
  const count = Math.min(Number(values.jobs ?? availableParallelism()), Math.max(1, jobs.length));
  const waiting = [...jobs];
  const tried: Tried[] = [];
  const work = async (n: number) => {
    let lane = new Lane(whole, join(folder, `lane-${n}`));
    if (n === 0) await soundOn(lane, suites, jobs);
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      const outcome = await lane.order({ mutant: job.mutant, stages: stagesFor(job) });
      if (!outcome) {
        lane.end();
        lane = new Lane(whole, join(folder, `lane-${n}-${tried.length}`));
      }
      tried.push({ ...job, ...told(outcome) });
      show(tried, jobs.length);
    }
    lane.end();
  };
  await Promise.all(Array.from({ length: count }, (_, n) => work(n)));
  return tried.sort(
    (a, b) =>
      jobs.findIndex(({ mutant }) => mutant === a.mutant) -
      jobs.findIndex(({ mutant }) => mutant === b.mutant),
  );
}

function told(outcome: Verdict | undefined): Pick<Tried, "verdict" | "by"> {
  if (!outcome) return { verdict: "timed out" };
  return { verdict: outcome.kind, ...(outcome.kind === "killed" && { by: outcome.by }) };
}

/** Tests that fail without a mutant would kill every mutant, also those that only some files run. */
async function soundOn(lane: Lane, suites: readonly Suite[], jobs: readonly Job[]): Promise<void> {
  for (const suite of suites) {
    const startedAt = performance.now();
    const own = jobs.filter((job) => job.suite === suite).flatMap((job) => stagesFor(job).at(-1)!);
    const quick = suite.stages.map((stage) => stage.filter((file) => !file.includes("*")));
    const outcome = await lane.order({ stages: [...quick, ...[...new Set(own)].map((file) => [file])] });
    if (outcome?.kind !== "survived")
      throw new Error(
        `${suite.folder}: without any mutant: ${outcome?.kind === "killed" ? outcome.by : "no end"}`,
      );
    console.log(`${suite.folder}: sound in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  }
}

function stagesFor({ suite, mutant }: Job): string[][] {
  const name = mutant.file.slice(mutant.file.lastIndexOf("/") + 1, -".ts".length);
  const stages = [...suite.stages, suite.last?.[name] ?? []].map((stage) =>
    stage.map((file) => file.replace("*", name)),
  );
  return stages.map((stage) => stage.filter((file) => existsSync(join(ROOT, file))));
}

function show(tried: readonly Tried[], of: number): void {
  const { mutant, verdict, by } = tried.at(-1)!;
  const line = `${tried.length} of ${of}`;
  // A mutant that ran out of time counts as killed. On a busy machine that may be wrong, so it is worth a
  // look.
  if (verdict !== "killed")
    console.log(`${line}  ${verdict.toUpperCase()} ${mutant.file}:${mutant.line}  ${mutant.change}`);
  else if (process.stderr.isTTY) process.stderr.write(`\r${line}`);
  else if (tried.length % 25 === 0) console.log(`${line}  ${verdict} ${by ?? ""}`);
}

function report(tried: readonly Tried[], suites: readonly Suite[]): void {
  const survived = tried.filter(({ verdict }) => verdict === "survived");
  const unexplained = survived.filter(({ mutant }) => !reasonFor(mutant));
  console.log("\nsurvivors:");
  for (const { mutant } of survived) {
    const reason = reasonFor(mutant);
    console.log(`  ${mutant.file}:${mutant.line}  ${mutant.change}  (${reason ?? "NOT EXPLAINED"})`);
  }
  console.log(
    "\n| folder | mutants | killed | timed out | survived | not explained | score |\n" +
      "|---|---|---|---|---|---|---|",
  );
  for (const { folder } of suites) {
    const own = tried.filter(({ suite }) => suite.folder === folder);
    const count = (verdict: Tried["verdict"]) => own.filter((each) => each.verdict === verdict).length;
    const left = unexplained.filter(({ suite }) => suite.folder === folder).length;
    const score =
      own.length === 0 ? "–" : `${((100 * (own.length - count("survived"))) / own.length).toFixed(1)} %`;
    console.log(
      `| ${folder} | ${own.length} | ${count("killed")} | ${count("timed out")} | ${count("survived")} | ` +
        `${left} | ${score} |`,
    );
  }
}
