import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVitest, type Vitest } from "vitest/node";
import { copyOf } from "./copy.ts";
import { type Mutant, mutated } from "./mutants.ts";

/** What the parent wants tried, and what came of it. */
export interface Order {
  readonly mutant?: Mutant;
  readonly stages: readonly (readonly string[])[];
}
export type Verdict =
  | { readonly kind: "ready" }
  /** One more test is over: the mutant is slow, but does not run in circles. */
  | { readonly kind: "alive" }
  | { readonly kind: "killed"; readonly by: string }
  | { readonly kind: "survived" };

/**
 * Longer than any test takes here. It finds a test that waits for ever; the parent finds one that runs for
 * ever.
 */
const TEST_MS_MAX = 30_000;

/**
 * A copy of the project with one vitest that stays warm: a mutant is written into the copy, so that threads
 * and processes run it too, and only what imports it is loaded again.
 */
const [root = "", copy = ""] = process.argv.slice(2);
copyOf(root, copy);
// What an ended test leaves behind is removed with the copy.
const temporary = join(copy, "temporary");
mkdirSync(temporary);
process.env.TMPDIR = temporary;
// Some tests look for the project where they are run.
process.chdir(copy);

const vitest: Vitest = await createVitest(
  {
    root: copy,
    config: false as never,
    watch: false,
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "test/mutation/*-{schedules,contract}.ts"],
    reporters: [{ onTestCaseResult: () => tell({ kind: "alive" }) }],
    pool: "threads",
    maxWorkers: 1,
    isolate: false,
    fileParallelism: false,
    bail: 1,
    fsModuleCache: false,
    env: { NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compile") },
    testTimeout: TEST_MS_MAX,
    hookTimeout: TEST_MS_MAX,
  },
  { server: { watch: null } },
);

process.on("message", (order: Order) => void carryOut(order).then(tell));
tell({ kind: "ready" });

function tell(verdict: Verdict): void {
  process.send?.(verdict);
}

async function carryOut({ mutant, stages }: Order): Promise<Verdict> {
  if (!mutant) return tryAll(stages);
  const path = join(copy, mutant.file);
  const source = readFileSync(path, "utf8");
  writeFileSync(path, mutated(source, mutant));
  forget(path);
  const verdict = await tryAll(stages);
  writeFileSync(path, source);
  forget(path);
  return verdict;
}

async function tryAll(stages: Order["stages"]): Promise<Verdict> {
  for (const stage of stages) {
    // No name at all would mean every test.
    if (stage.length === 0) continue;
    const tests = await vitest.globTestSpecifications([...stage]);
    // Otherwise failures of the last mutant would be reported again.
    vitest.state.filesMap.clear();
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(tests, false);
    const failed = testModules.find((module) => module.state() === "failed");
    if (failed) return { kind: "killed", by: failed.relativeModuleId };
    if (unhandledErrors.length > 0) return { kind: "killed", by: String(unhandledErrors[0]) };
  }
  return { kind: "survived" };
}

/** What was loaded with the other text of it: itself, its importers, theirs, and so on. */
function forget(path: string, seen = new Set<string>()): void {
  if (seen.has(path)) return;
  seen.add(path);
  vitest.watcher.invalidates.add(path);
  if (seen.size === 1) vitest.invalidateFile(path);
  for (const { vite } of vitest.projects)
    for (const environment of Object.values(vite.environments))
      for (const module of environment.moduleGraph.getModulesByFile(path) ?? [])
        for (const { file } of module.importers) if (file) forget(file, seen);
}
