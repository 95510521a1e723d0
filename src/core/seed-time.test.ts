import { expect, test } from "vitest";
import { seedInstant } from "./seed-time.ts";

const TEN = Date.UTC(2026, 0, 1, 10);

test.each([
  ["2026-01-01T10:00:00Z"],
  ["2026-01-01T11:00:00+01:00"],
  ["2026-01-01T10:00:00"],
  ["2026-01-01T10:00:00.000000"],
  ["2026-01-01 10:00:00"],
  [TEN / 1_000],
  [BigInt(TEN / 1_000)],
  [TEN],
  [TEN * 1_000 + 1],
  [BigInt(TEN) * 1_000_000n + 1n],
  [String(TEN / 1_000)],
  [`${TEN / 1_000}.25`],
])("%s is ten o'clock in UTC, give or take its fraction", (written) => {
  expect(Math.abs(seedInstant(written)! - TEN)).toBeLessThan(1_000);
});

test.each([["soon"], [""], [null], [undefined], [Number.NaN], [-5], [0], [9e99], [{}], ["2026-13-45"]])(
  "%s is no instant",
  (written) => {
    expect(seedInstant(written)).toBeUndefined();
  },
);
