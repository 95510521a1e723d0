import { expect, test } from "vitest";
import { isSuspect, mayJoin, suspectsMax } from "./suspects.ts";

const ATTEMPTS_MAX = 5;

test("after one accident everything goes on at once; in the last attempt each is alone", () => {
  expect([2, 3, 4, 5].map((attempt) => suspectsMax(attempt, ATTEMPTS_MAX))).toEqual([64, 16, 4, 1]);
});

test("as many suspects run together as the latest attempt allows, and no more", () => {
  expect(mayJoin(3, Array(15).fill(3), ATTEMPTS_MAX)).toBe(true);
  expect(mayJoin(3, Array(16).fill(3), ATTEMPTS_MAX)).toBe(false);
  expect(mayJoin(5, [], ATTEMPTS_MAX)).toBe(true);
  expect(mayJoin(5, [2], ATTEMPTS_MAX)).toBe(false);
  expect(mayJoin(2, [5], ATTEMPTS_MAX)).toBe(false);
});

test("with few attempts the second one is the last", () => {
  expect(mayJoin(2, [], 2)).toBe(true);
  expect(mayJoin(2, [2], 2)).toBe(false);
});

test("attempts past a limit that was lowered stand alone, too", () => {
  expect(mayJoin(9, [], ATTEMPTS_MAX)).toBe(true);
  expect(mayJoin(9, [9], ATTEMPTS_MAX)).toBe(false);
});

test.each([
  [{ attempts: 1 }, false],
  [{ attempts: 2 }, true],
  [{ attempts: 2, errors: 1 }, false],
  [{ attempts: 3, errors: 1 }, true],
  [{ attempts: 1, errors: 0 }, false],
  [{ attempts: 9, outages: 8 }, false],
  [{ attempts: 9, outages: 7 }, true],
])("%j: an attempt before it ended with its process? %s", (work, expected) => {
  expect(isSuspect(work)).toBe(expected);
});
