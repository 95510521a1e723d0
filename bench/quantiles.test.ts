import { expect, test } from "vitest";
import { quantile, spreadOf } from "./quantiles.ts";

const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);

test("a quantile is the value below which that share lies, in whatever order the values come", () => {
  expect(quantile(hundred, 0.5)).toBe(51);
  expect(quantile(hundred, 0.99)).toBe(100);
  expect(quantile(hundred, 0)).toBe(1);
  expect(quantile(hundred, 1)).toBe(100);
});

test("values of two digits are ordered as numbers, and none have no quantile", () => {
  expect(quantile([10, 9, 1], 1)).toBe(10);
  expect(quantile([], 0.99)).toBe(0);
});

test("a spread is the middle of an odd number of values, the mean of two of an even one", () => {
  expect(spreadOf([30, 10, 20])).toEqual({ median: 20, least: 10, most: 30 });
  expect(spreadOf([40, 10, 20, 30])).toEqual({ median: 25, least: 10, most: 40 });
});
