import { expect, test } from "vitest";
import { BARS, judge } from "./bars.ts";
import type { Figures } from "./figures.ts";
import type { Measured } from "./measure.ts";
import { drawPlot, PLOTS } from "./plots.ts";
import type { Results } from "./results.ts";
import { QUICK, type ScenarioName } from "./scenarios.ts";
import type { ServerName } from "./servers.ts";
import { barsTable, faultsTable, figuresTable, generatorLine, restartTable } from "./tables.ts";

const ZERO: Figures = {
  ...{ acksPerSecond: 0, ackP50Ms: 0, ackP99Ms: 0, latenessP50Ms: 0, latenessP99Ms: 0, latenessMostMs: 0 },
  ...{ finishedPerSecond: 0, cpuSecondsPer1000: 0, redisCpuSecondsPer1000: 0, memoryMb: 0, readyMs: 0 },
  ...{ serverCores: 0, generatorCores: 0, failedTries: 0 },
};
const NO_FAULTS = { lost: 0, doubled: 0, overlapping: 0, outOfOrder: 0, early: 0, misdirected: 0 };

function run(server: ServerName, scenario: ScenarioName, figures: Partial<Figures>, lost = 0): Measured {
  return { server, scenario, figures: { ...ZERO, ...figures }, faults: { ...NO_FAULTS, lost }, late: 0 };
}

function results(...runs: readonly Measured[]): Results {
  return {
    day: "2026-11-16",
    machine: { cores: 2, memoryGb: 4, system: "Linux", node: "24.0.0", loadBefore: 0 },
    versions: { lull: "0.0.0", bullmq: "6.0.0", redis: "7.0.0" },
    ...{ durability: [], size: QUICK, skipped: [], runs },
  };
}

const some = results(
  run("floor", "acks", { acksPerSecond: 40_000, serverCores: 1, generatorCores: 0.5 }),
  run("lull", "acks", { acksPerSecond: 19_000, memoryMb: 150 }),
  run("lull", "acks", { acksPerSecond: 25_000, memoryMb: 250 }),
  run("lull", "acks", { acksPerSecond: 21_000, memoryMb: 160 }),
  run("lull", "restart", { readyMs: 260, latenessP99Ms: 300 }),
  run("memory", "restart", { readyMs: 60 }, 12),
);

test("a figure is told by its median, with least and most; one that was not measured is left out", () => {
  const row = figuresTable(some)
    .split("\n")
    .find((line) => line.startsWith("| **Lull"));
  expect(row).toContain("| 21,000 (19,000–25,000) |");
  expect(figuresTable(some)).not.toContain("BullMQ");
});

test("what Redis takes of BullMQ's time is told beside it", () => {
  const steady = run("bullmq", "steady", { cpuSecondsPer1000: 1.2, redisCpuSecondsPer1000: 0.4 });
  expect(figuresTable(results(steady))).toContain("| 1.2, of it Redis 0.4 |");
});

test("a bar is judged by the ratio of medians, or by the median; without the other server not at all", () => {
  const judged = BARS.map((bar) => judge(some, bar)).filter(({ bar }) => bar.scenario === "acks");
  expect(judged.map(({ measured, isMet }) => [measured, isMet])).toEqual([
    [0.525, true],
    [undefined, undefined],
    [160, true],
  ]);
  expect(barsTable(some)).toContain("| acks/s, against BullMQ | ≥ 2 × | not measured | |");
});

test("a bar is not judged by a server that does worse under less load: that was the machine", () => {
  const against = (half: number) =>
    results(
      run("floor", "acks", { ackP99Ms: 4 }),
      run("floor", "half", { ackP99Ms: half }),
      run("lull", "half", { ackP99Ms: 6 }),
    );
  const row = (half: number) =>
    barsTable(against(half))
      .split("\n")
      .find((line) => line.includes("half"));
  expect(row(3)).toMatch(/\| 2 \| met \|$/);
  expect(row(1.5)).toMatch(/\| 4 \| \*\*missed\*\* \|$/);
  expect(row(12)).toContain("**not measurable** here: it takes 12 itself, and 4 under twice the load");
});

test("faults under kills stand apart from all others", () => {
  expect(restartTable(some)).toMatch(/^\| in-memory .*\| 12 lost \|$/m);
  expect(restartTable(some)).toMatch(/^\| Lull.*\| none \|$/m);
  expect(faultsTable(some)).toContain("| Lull, one worker | 3 | none | 0 |");
});

test("the generator is told beside the floor, as a share of what that used", () => {
  expect(generatorLine(some)).toContain("used 1 of a core and the generator 0.5, 50 % of that");
});

test("without the floor nothing is said of the generator but that", () => {
  const line = generatorLine(results(run("lull", "acks", { acksPerSecond: 19_000 })));
  expect(line).toBe("Whether the load generator is the cap is not known: the floor was not measured.");
});

test("a plot has a bar for every server that was measured there", () => {
  const drawn = drawPlot(some, PLOTS["docs/pictures/performance-throughput.svg"]!);
  expect(drawn.match(/class="strong"/g)).toHaveLength(1);
  expect(drawn).toContain(">21,000<");
});
