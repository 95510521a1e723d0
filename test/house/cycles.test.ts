import { expect, test } from "vitest";
import { cyclesIn } from "./cycles.ts";

const targets = (given: Readonly<Record<string, readonly string[]>>) => new Map(Object.entries(given));

test("two files that import each other are found, and a longer way round, each once", () => {
  const found = cyclesIn(targets({ c: ["a"], a: ["b"], b: ["c", "d"], d: ["e"], e: ["d"] }));
  expect(found.sort()).toEqual(["a -> b -> c", "d -> e"]);
});

test("two ways to one file are no way round", () => {
  expect(cyclesIn(targets({ a: ["b", "c"], b: ["d"], c: ["d"] }))).toEqual([]);
});
