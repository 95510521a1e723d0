import { expect, test } from "vitest";
import type { Finding } from "../../ports/check-result.ts";
import { findingsOf, toldUnder } from "./findings.ts";

const inTime = new AbortController().signal;

test("a check that does not listen to the end of its time is left alone", async () => {
  const over = new AbortController();
  const asked = findingsOf(
    { check: () => new Promise<never>(() => {}) },
    { online: true, signal: inTime, late: over.signal },
  );
  over.abort();
  expect(await asked).toEqual([{ verdict: "fail", detail: "its own check gave no answer in time" }]);
});

test("what is offline, or has no check, is not asked; a check that throws has failed", async () => {
  const asking = { online: true, signal: inTime, late: inTime };
  const throwing = { check: async () => Promise.reject(new Error("no such account")) };
  expect(await findingsOf({}, asking)).toBeUndefined();
  expect(await findingsOf(throwing, { ...asking, online: false })).toBeUndefined();
  expect(await findingsOf(throwing, asking)).toEqual([{ verdict: "fail", detail: "no such account" }]);
});

test.each([
  [[], { verdict: "skip", detail: "its own check says nothing of what it tried" }],
  [["a problem, as 0.1.0 told it"], { verdict: "fail", detail: "a problem, as 0.1.0 told it" }],
  [
    [{ verdict: "fine", detail: "x" }],
    { verdict: "fail", detail: "its own check returned what is no finding" },
  ],
  [undefined, { verdict: "fail", detail: "its own check returned no list of findings" }],
])("a check of the user's own that returns %j is told as it is", (findings, line) => {
  expect(toldUnder("x", findings as unknown as Finding[])).toEqual([{ check: "x", ...line }]);
});
