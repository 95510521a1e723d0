import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { measure } from "./measure.ts";
import type { Scenario } from "./scenarios.ts";

const SMALL: Scenario = {
  name: "steady",
  servers: ["floor", "memory"],
  windowMs: 50,
  plan: { messages: 48, connections: 4, conversations: 12, burst: 2, perSecond: 400 },
  countedFromMs: 0,
};
const NO_FAULTS = { lost: 0, doubled: 0, overlapping: 0, outOfOrder: 0, early: 0, misdirected: 0 };

test("every message of a load comes out at the fakes, and the server's processes are weighed", async () => {
  const { figures, faults } = await measure("memory", SMALL);
  expect(faults).toEqual(NO_FAULTS);
  expect(figures.acksPerSecond).toBeGreaterThan(0);
  expect(figures.latenessP99Ms).toBeGreaterThan(0);
  if (existsSync("/proc/self/stat")) expect(figures.memoryMb).toBeGreaterThan(20);
});

test("the floor answers webhooks and no customer, which is no fault of its own", async () => {
  const { figures, faults } = await measure("floor", SMALL);
  expect(faults).toEqual(NO_FAULTS);
  expect(figures.ackP99Ms).toBeGreaterThan(0);
  expect(figures.finishedPerSecond).toBe(0);
});
