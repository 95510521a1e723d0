import { expect, test } from "vitest";
import { retryDelayMs } from "./retry-delay.ts";

test("each failure doubles the wait, up to eight seconds", () => {
  const delays = [0, 1, 2, 3, 4, 5, 50].map((failures) => retryDelayMs(failures, 0, 0.5));
  expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
});

test("pages that lost the service together do not come back together", () => {
  expect([retryDelayMs(1, 0, 0), retryDelayMs(1, 0, 1)]).toEqual([750, 1_250]);
});

test("what the service asks for is the least; what it says unclearly counts for nothing", () => {
  expect(retryDelayMs(0, 3_000, 0.5)).toBe(3_000);
  expect(retryDelayMs(4, 3_000, 0.5)).toBe(8_000);
  expect(retryDelayMs(0, Number.NaN, 0.5)).toBe(500);
});
