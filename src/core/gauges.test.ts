import { expect, test } from "vitest";
import { gaugeValues } from "./gauges.ts";

const counted = { dead: 1, unknown: 2, quarantined: 3, staleLeases: 4, paused: false };
const values = { deadLetters: 1, unknownSends: 2, quarantinedRows: 3, staleLeases: 4 };

test("a lease is held for as long as it is since it was taken, and never for less than no time", () => {
  const held = (oldestLeaseAtMs?: number) =>
    gaugeValues({ ...counted, ...(oldestLeaseAtMs !== undefined && { oldestLeaseAtMs }) }, 10_000);
  expect(held()).toEqual({ ...values, leaseHeldSeconds: 0 });
  expect(held(7_500)).toEqual({ ...values, leaseHeldSeconds: 2.5 });
  expect(held(10_001)).toEqual({ ...values, leaseHeldSeconds: 0 });
});

test("what waits is told only where it was counted", () => {
  expect(gaugeValues(counted, 0)).not.toHaveProperty("stagedMessages");
  expect(gaugeValues({ ...counted, staged: 0 }, 0).stagedMessages).toBe(0);
});
