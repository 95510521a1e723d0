import { expect, it } from "vitest";
import { inParallel } from "./in-parallel.ts";

it("runs a few at a time, and keeps the order of the results", async () => {
  let [running, most] = [0, 0];
  const run = async (n: number) => {
    running += 1;
    most = Math.max(most, running);
    for (let turns = 0; turns < n; turns += 1) await Promise.resolve();
    running -= 1;
    return n * 10;
  };
  expect(await inParallel([5, 1, 4, 2, 3], 2, run)).toEqual([50, 10, 40, 20, 30]);
  expect(most).toBe(2);
  expect(await inParallel([1], 9, run)).toEqual([10]);
  expect(await inParallel([], 9, run)).toEqual([]);
});

it("if one fails, all fail, and no other is begun", async () => {
  const begun: number[] = [];
  const run = (n: number) => {
    begun.push(n);
    return Promise.reject(new Error("down"));
  };
  await expect(inParallel([1, 2, 3], 1, run)).rejects.toThrow("down");
  expect(begun).toEqual([1]);
});
