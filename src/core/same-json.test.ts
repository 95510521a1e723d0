import { expect, test } from "vitest";
import { isSameJson } from "./same-json.ts";

const note = { count: 1, ids: ["a", "b"], at: { since: null } };

test.each([
  [1, 1],
  [null, null],
  [undefined, undefined],
  [note, structuredClone(note)],
  [note, { at: { since: null }, ids: ["a", "b"], count: 1 }],
])("%o is the same as %o", (one, other) => {
  expect(isSameJson(one, other)).toBe(true);
});

test.each([
  [1, "1"],
  [null, undefined],
  [{}, null],
  [[], {}],
  [
    ["a", "b"],
    ["b", "a"],
  ],
  [["a"], ["a", "b"]],
  [note, { ...note, count: 2 }],
  [note, { ...note, more: undefined }],
  [{ a: undefined }, { b: undefined }],
])("%o is not the same as %o", (one, other) => {
  expect(isSameJson(one, other)).toBe(false);
  expect(isSameJson(other, one)).toBe(false);
});
