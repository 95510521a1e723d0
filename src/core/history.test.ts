import { expect, it } from "vitest";
import { fitting } from "./history.ts";

it("as many of the latest fit as their bytes allow, and always one", () => {
  expect(fitting([10, 10, 10], 30)).toBe(3);
  expect(fitting([10, 10, 10], 29)).toBe(2);
  expect(fitting([100, 1], 50)).toBe(1);
  expect(fitting([], 50)).toBe(0);
  expect(fitting([10, 10], Number.POSITIVE_INFINITY)).toBe(2);
});
