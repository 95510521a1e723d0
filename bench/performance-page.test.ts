import { expect, test } from "vitest";
import { withResults } from "./performance-page.ts";
import type { Results } from "./results.ts";
import { QUICK, WHOLE } from "./scenarios.ts";

const results: Results = {
  day: "2026-11-16",
  machine: { cores: 2, memoryGb: 4, system: "Linux", node: "24.0.0", loadBefore: 0.1 },
  versions: { lull: "0.0.0", bullmq: "6.0.0", redis: "none" },
  ...{ durability: ["fully"], size: WHOLE, skipped: ["BullMQ (no Redis)"], runs: [] },
};
const PAGE = "# A page\n\n<!-- bench machine -->\nold words\n\n<!-- end -->\n\nwhat a person wrote\n";

test("only what stands in its places is written anew, and once more changes nothing", () => {
  const page = withResults(PAGE, results);
  expect(page).toMatch(/^# A page\n\n<!-- bench machine -->\nMeasured on 2026-11-16/);
  expect(page).toContain("<!-- end -->\n\nwhat a person wrote\n");
  expect(page).not.toContain("old words");
  expect(withResults(page, results)).toBe(page);
});

test("what was left out is said, and so is a small run or a busy machine", () => {
  const page = withResults(PAGE, results);
  expect(page).toContain("Left out: BullMQ (no Redis).");
  expect(page).not.toMatch(/small run|busy/);
  expect(withResults(PAGE, { ...results, size: QUICK })).toContain("A small run");
  const machine = { ...results.machine, loadBefore: 7.5 };
  expect(withResults(PAGE, { ...results, machine })).toContain("busy with other work (load 7.5)");
});

test("a place that the bench knows nothing of is an error", () => {
  expect(() => withResults("<!-- bench weather -->\n<!-- end -->", results)).toThrow("weather");
});
