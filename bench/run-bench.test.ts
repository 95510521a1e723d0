import { expect, test } from "vitest";
import { rotated } from "./run-bench.ts";

test("each repetition begins with another server, and has them all", () => {
  const order = Array.from({ length: 4 }, (_, repetition) => rotated(["a", "b", "c"], repetition).join(""));
  expect(order).toEqual(["abc", "bca", "cab", "abc"]);
  expect(rotated([], 2)).toEqual([]);
});
