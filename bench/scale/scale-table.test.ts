import { expect, test } from "vitest";
import { scaleTable } from "./scale-table.ts";

const machine = { cores: 2, memoryGb: 4, system: "Linux", node: "24.0.0", loadBefore: 0.1 };
const atMost = { of: "ratio", value: 1.2 } as const;

test("a ratio is that of the same repetition, and its median is held against the bar", () => {
  const table = scaleTable({
    ...{ day: "2026-11-18", machine },
    rows: [
      { about: "a turn", small: [1, 10, 2], large: [1.1, 11, 3], atMost },
      { about: "another", small: [1, 1, 1], large: [1, 2, 3], atMost },
      { about: "start", small: [90, 91, 92], large: [480, 490, 600], atMost: { of: "large", value: 500 } },
    ],
  });
  expect(table).toContain("Measured on 2026-11-18, 3 times");
  expect(table).toContain("| a turn | 2 (1–10) | 3 (1.1–11) | 1.1 (1.1–1.5) | ≤ 1.2 × | met |");
  expect(table).toContain("| another | 1 | 2 (1–3) | 2 (1–3) | ≤ 1.2 × | **missed** |");
  expect(table).toMatch(/\| start .*\| ≤ 500 \| met \|/);
});
