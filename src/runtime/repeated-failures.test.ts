import { expect, test } from "vitest";
import { RepeatedFailures } from "./repeated-failures.ts";

test("each reason is told at once, then once a minute with the failures since", () => {
  const failures = new RepeatedFailures();
  expect(failures.note("full", 0)).toBe(1);
  for (let n = 1; n < 120; n += 1) expect(failures.note("full", n * 500)).toBeUndefined();
  expect(failures.note("gone", 30_000)).toBe(1);
  expect(failures.note("full", 60_000)).toBe(120);
  expect(failures.note("full", 60_500)).toBeUndefined();
  expect(failures.note("gone", 89_999)).toBeUndefined();
  expect(failures.note("gone", 90_000)).toBe(2);
});

test("a clock that is set back silences no failure", () => {
  const failures = new RepeatedFailures();
  expect(failures.note("full", 3_600_000)).toBe(1);
  expect(failures.note("full", 0)).toBe(1);
});

test("twenty reasons are remembered: one more, and the one told longest ago is told again", () => {
  const failures = new RepeatedFailures();
  for (let n = 0; n < 20; n += 1) expect(failures.note(`reason ${n}`, n)).toBe(1);
  expect(failures.note("reason 0", 20)).toBeUndefined();
  expect(failures.note("reason 20", 21)).toBe(1);
  expect(failures.note("reason 1", 22)).toBeUndefined();
  expect(failures.note("reason 0", 23)).toBe(1);
});
