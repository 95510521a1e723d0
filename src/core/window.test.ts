import { expect, it } from "vitest";
import { DEFAULTS, QUIET_MAX_FACTOR } from "./defaults.ts";
import { closesAtMs, longestMs } from "./window.ts";

const fixed = { kind: "fixed", lengthMs: 10_000 } as const;
const quiet = { kind: "quiet", quietMs: 4_000, maxMs: 4_000 * QUIET_MAX_FACTOR } as const;

it("a fixed window counts from the oldest message", () => {
  expect(closesAtMs({ oldestArrivalAtMs: 1_000, newestArrivalAtMs: 10_999 }, fixed)).toBe(11_000);
});

it("the default window is ten seconds from the first message", () => {
  expect(closesAtMs({ oldestArrivalAtMs: 0, newestArrivalAtMs: 9_999 }, DEFAULTS.window)).toBe(10_000);
});

it("a quiet window counts from the newest message", () => {
  expect(closesAtMs({ oldestArrivalAtMs: 1_000, newestArrivalAtMs: 1_000 }, quiet)).toBe(5_000);
  expect(closesAtMs({ oldestArrivalAtMs: 1_000, newestArrivalAtMs: 9_000 }, quiet)).toBe(13_000);
});

it("a quiet window closes at its maximum at the latest", () => {
  const oldestArrivalAtMs = 1_000;
  expect(closesAtMs({ oldestArrivalAtMs, newestArrivalAtMs: 16_999 }, quiet)).toBe(20_999);
  expect(closesAtMs({ oldestArrivalAtMs, newestArrivalAtMs: 17_000 }, quiet)).toBe(21_000);
  expect(closesAtMs({ oldestArrivalAtMs, newestArrivalAtMs: 20_999 }, quiet)).toBe(21_000);
});

it("no window lets a message wait longer than its length, or than its longest", () => {
  expect([longestMs(fixed), longestMs(quiet)]).toEqual([10_000, 20_000]);
});

it("a window of no length is due at once", () => {
  expect(closesAtMs({ oldestArrivalAtMs: 7, newestArrivalAtMs: 9 }, { kind: "fixed", lengthMs: 0 })).toBe(7);
});
