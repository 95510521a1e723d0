import { expect, test } from "vitest";
import { deathsInARow, restartDelayMs } from "./backoff.ts";

test("a worker that dies again and again waits twice as long each time, ten seconds at most", () => {
  expect([1, 2, 3, 4, 7, 8, 30].map(restartDelayMs)).toEqual([100, 200, 400, 800, 6_400, 10_000, 10_000]);
});

test("half a minute of health starts the count anew", () => {
  expect(deathsInARow(4, 29_999)).toBe(5);
  expect(deathsInARow(5, 30_000)).toBe(1);
});
