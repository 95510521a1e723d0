import { expect, test } from "vitest";
import type { WorkersRun } from "./workers-results.ts";
import { workersTables } from "./workers-table.ts";

const machine = { cores: 2, memoryGb: 4, system: "Linux", node: "24.0.0", loadBefore: 0.1 };

function run(workers: number, acksPerSecond: number, ackP99Ms: number): WorkersRun {
  return {
    ...{ workers, acksPerSecond, ackP99Ms, cpuSecondsPer1000: 0.2, serverCores: 1.5, generatorCores: 0.1 },
    ...{ messagesPerCommit: 30, lockHeldShare: 0.5, lockWaitedShare: 0 },
  };
}

test("several workers are held against one of the same repetition", () => {
  const runs = [run(1, 1_000, 10), run(2, 1_600, 12), run(4, 900, 25), run(1, 500, 20), run(2, 800, 20)];
  const tables = workersTables({ day: "2026-11-18", machine, runs: [...runs, run(4, 600, 100)] });
  expect(tables).toContain("2 times, on 2 cores");
  expect(tables).toContain("| 1 | 750 (500–1,000) | 15 (10–20) |");
  expect(tables).toContain("| acks/s of two workers, where cores are free | ≥ 1.5 × | 1.6 | met |");
  expect(tables).toContain("| acks/s of four workers, anywhere | ≥ 1 × | 1.05 (0.9–1.2) | met |");
  expect(tables).toContain("| ack p99 of four workers | ≤ 3 × | 3.75 (2.5–5) | **missed** |");
});
