import { expect, it } from "vitest";
import { type Stood, standingOf } from "../../core/standing.ts";
import { pauseLines, troubleLines, waitingShown } from "./standing.ts";
import { since } from "./times.ts";

const NOW = 100_000_000;
const standing = (...stood: Stood[]) => standingOf(stood, { all: false, projects: ["acme"] }, NOW);

it("what is paused is counted, and says how it goes on", () => {
  const found = standing(
    { lock: { staged: 2 }, keptBack: { by: "project-paused", project: "acme" } },
    { lock: { staged: 1 }, keptBack: { by: "paused" } },
  );
  expect(pauseLines(found)).toEqual([
    ["paused", "project acme (2 messages wait): lull projects resume acme"],
    ["paused", "1 conversation (1 message waits) is paused: lull conversations resume <id>"],
  ]);
});

it("what waits for another system is told with since when", () => {
  const elsewhere = (agoMs: number) => ({ lock: { staged: 1, elsewhere: { sinceAtMs: NOW - agoMs } } });
  expect(troubleLines(standing(elsewhere(60_000), elsewhere(180_000)), NOW)).toEqual([
    ["elsewhere", `2 conversations, ${since(NOW - 180_000, NOW)}: lull locks`],
  ]);
});

it("a reason says how many wait for it, and names a next step only where there is one", () => {
  const failing = (reason: string) => ({ lock: { staged: 1, failing: { reason, tries: 1 } } });
  expect(troubleLines(standing(failing("OPENAI_UNAUTHORIZED: 401")), NOW)).toEqual([
    ["failing", "OPENAI_UNAUTHORIZED: 401"],
    ["", "1 conversation waits"],
    ["", "lull doctor tries the key"],
  ]);
  expect(troubleLines(standing(failing("it broke")), NOW)).toEqual([
    ["failing", "it broke"],
    ["", "1 conversation waits"],
  ]);
});

it("says when the first is due only if all were looked at", () => {
  const found = standing({ lock: { staged: 1, window: { dueAtMs: NOW - 8_000 } } });
  expect(waitingShown(1, found, false, NOW)).toBe("1 message in 1 conversation; the first is due 8 s ago");
  expect(waitingShown(9, found, true, NOW)).toBe("9 messages in 1 conversation or more");
  expect(waitingShown(0, standing(), false, NOW)).toBe("nothing");
});
