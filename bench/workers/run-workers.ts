import { readFileSync } from "node:fs";
import { join } from "node:path";
import { faultsIn } from "../check-run.ts";
import { removeFolder, temporaryFolder } from "../left-behind.ts";
import type { LoadReport } from "../load.ts";
import { measure } from "../measure.ts";
import { rotated } from "../run-bench.ts";
import { scenarioOf, WHOLE } from "../scenarios.ts";
import { type LockUse, lockUseIn } from "./lock-use.ts";
import type { WorkersRun } from "./workers-results.ts";

const WORKERS = [1, 2, 4];
const STAGED = 30_000;
const PROBE = new URL("./lock-probe.ts", import.meta.url);

/** Webhooks as fast as they are acknowledged by more and more workers; by turns, who comes first. */
export async function runWorkers(
  repetitions: number,
  onProgress: (line: string) => void,
): Promise<readonly WorkersRun[]> {
  const runs: WorkersRun[] = [];
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const ofRepetition: WorkersRun[] = [];
    for (const workers of rotated(WORKERS, repetition)) {
      const run = await runOnce(workers);
      ofRepetition.push(run);
      onProgress(`${repetition + 1}/${repetitions} ${JSON.stringify(run)}`);
    }
    runs.push(...ofRepetition.sort((a, b) => a.workers - b.workers));
  }
  return runs;
}

async function runOnce(workers: number): Promise<WorkersRun> {
  const folder = temporaryFolder("lull-workers-");
  const file = join(folder, "lock.jsonl");
  const scenario = scenarioOf("acks", { ...WHOLE, staged: STAGED });
  const env = { NODE_OPTIONS: `--import=${PROBE.href}`, BENCH_LOCK_FILE: file };
  try {
    let use: LockUse | undefined;
    const onLoad = ({ startedAtMs, endedAtMs }: LoadReport) => {
      use = lockUseIn(readFileSync(file, "utf8"), startedAtMs, endedAtMs);
    };
    const { figures, faults } = await measure("lull", scenario, { workers, env, onLoad });
    const found = faultsIn(faults);
    if (found.length > 0) throw new Error(`${workers} workers: ${found.join(", ")}`);
    const { acksPerSecond, ackP99Ms, cpuSecondsPer1000, serverCores, generatorCores } = figures;
    return rounded({
      ...{ workers, acksPerSecond, ackP99Ms, cpuSecondsPer1000, serverCores, generatorCores },
      messagesPerCommit: acksPerSecond / (use?.commitsPerSecond ?? Number.NaN),
      ...{ lockHeldShare: use?.heldShare ?? 0, lockWaitedShare: use?.waitedShare ?? 0 },
    });
  } finally {
    removeFolder(folder);
  }
}

function rounded(run: WorkersRun): WorkersRun {
  const entries = Object.entries(run).map(([name, value]) => [name, Number(value.toPrecision(4))]);
  return Object.fromEntries(entries) as WorkersRun;
}
