import { expect, test } from "vitest";
import { markOf, sortRows, withMark } from "./mark.ts";

const rows = [
  { id: "a", atMs: 1_000 },
  { id: "b", atMs: 5_000 },
];
const NOW = 10_000;

test("everything is free for a customer without a conversation, however old it is", () => {
  expect(sortRows(rows, undefined, 3_000)).toEqual({ before: [], free: ["a", "b"], uncertain: [] });
});

test("what the conversation notes as moved is not moved again, however long ago that was", () => {
  const attributes = withMark({ mine: 1 }, { moved: ["a"], moving: [], atMs: 1 });
  expect(sortRows(rows, { attributes }, NOW)).toEqual({ before: ["a"], free: ["b"], uncertain: [] });
  expect(attributes.mine).toBe(1);
});

test("what was being moved when a run was killed is free while ids tell, and uncertain after", () => {
  const attributes = withMark({}, { moved: [], moving: ["a"], atMs: NOW });
  expect(sortRows(rows, { attributes }, NOW)).toMatchObject({ free: ["a", "b"], uncertain: [] });
  expect(sortRows(rows, { attributes }, NOW + 1)).toMatchObject({ free: ["b"], uncertain: ["a"] });
});

test("in a conversation that notes nothing, what is older than the remembered ids is uncertain", () => {
  expect(sortRows(rows, { attributes: {} }, 3_000)).toEqual({ before: [], free: ["b"], uncertain: ["a"] });
});

test("a note that another wrote counts as none", () => {
  for (const seed_wati of [null, 7, [], "moved"])
    expect(markOf({ attributes: { seed_wati } })?.moved ?? []).toEqual([]);
  expect(markOf({ attributes: { seed_wati: { moved: [1, "a"], at: {} } } })).toEqual({
    moved: ["a"],
    moving: [],
    atMs: 0,
  });
});
