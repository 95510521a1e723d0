import { expect, test } from "vitest";
import { type BacklogRun, placesOff } from "./backlog-results.ts";
import { backlogTable } from "./backlog-table.ts";

const machine = { cores: 2, memoryGb: 4, system: "Linux", node: "24.0.0", loadBefore: 0.1 };

function run(turnsPerSecond: number, callsAlonePerSecond: number): BacklogRun {
  return {
    ...{ turnsPerSecond, callsAlonePerSecond, ackP50Ms: 2, ackP99Ms: 9, ackMostMs: 12 },
    ...{ placesOff: 30, memoryMb: 250 },
  };
}

test("a drain is held against the calls that were made alone right after it", () => {
  const runs = [run(1_000, 4_000), run(2_000, 4_000), run(3_000, 4_000)];
  const table = backlogTable({ day: "2026-11-18", machine, conversations: 20_000, runs });
  expect(table).toContain("3 times (load of others before: 0.1): 20,000 conversations");
  expect(table).toContain("| turns a second | 2,000 (1,000–3,000) | | |");
  expect(table).toContain("| turns, against their HTTP calls alone | 0.5 (0.25–0.75) | ≥ 1 × | **missed** |");
});

test("what a drain is held to is told beside it, each by its median", () => {
  const machineOf = (loadBefore: number) => ({ ...machine, loadBefore });
  const tableFor = (loadBefore: number, ...runs: readonly BacklogRun[]) =>
    backlogTable({ day: "2026-11-18", machine: machineOf(loadBefore), conversations: 9, runs });
  expect(tableFor(0.1, run(4_000, 4_000))).toContain("| 1 | ≥ 1 × | met |");
  expect(tableFor(0.1, run(4_000, 4_000))).toContain("| ack p99 meanwhile, ms | 9 | ≤ 10 | met |");
  expect(tableFor(0.1, run(4_000, 4_000))).toContain("| 250 | ≤ 200 | **missed** |");
  expect(tableFor(0.1, { ...run(1, 1), placesOff: 51 })).toContain("| 51 | ≤ 50 | **missed** |");
  expect(tableFor(3.4, run(1, 1))).toContain("(load of others before: 3.4, a busy machine)");
});

test("a turn is off by as many places as lie between where it began and where it arrived", () => {
  expect(placesOff([7, 8, 9], [7, 8, 9])).toBe(0);
  expect(placesOff([9, 7, 8], [7, 8, 9])).toBe(2);
});
