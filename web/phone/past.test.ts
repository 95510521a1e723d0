import { expect, test } from "vitest";
import { type PastEvent, remember } from "./past.ts";
import { AT, AT_MS, feed } from "./sample-feed.ts";

const told = (more: Parameters<typeof feed>[0] = {}) => ({ ...feed(more), opened: undefined });
const failing = (tries: number, reason = "odd") => told({ failing: { tries, reason } });
const tries = (past: readonly PastEvent[]) =>
  past.flatMap((event) => (event.kind === "failed" ? [[event.tries, event.atMs - AT_MS]] : []));

test("a failure that is told again and again is one, where it was first seen", () => {
  const first = remember([], failing(1), AT_MS);
  const second = remember(remember(first, failing(1), AT_MS + 400), failing(3), AT_MS + 800);
  expect(tries(second)).toEqual([
    [1, 0],
    [3, 800],
  ]);
});

test("the first failure of an outage is when it began", () => {
  const since = new Date(AT_MS - 250).toISOString();
  expect(tries(remember([], told({ failing: { tries: 1, since } }), AT_MS))).toEqual([[1, -250]]);
});

test("after what failed for good, the next message's first failure is another one", () => {
  const unanswered = [{ at: AT, message_ids: ["m1"], attempts: 1 }];
  const before = remember(remember([], failing(1), AT_MS), told({ unanswered }), AT_MS + 400);
  const next = remember(before, { ...failing(1), unanswered }, AT_MS + 9_000);
  expect(tries(next)).toEqual([
    [1, 0],
    [1, 9_000],
  ]);
});

test("a try that failed between two feeds was asked for an answer all the same", () => {
  const kinds = (past: readonly PastEvent[]) => past.map(({ kind }) => kind);
  const seen = remember([], told({ answering_since: AT }), AT_MS);
  expect(kinds(remember(seen, failing(1), AT_MS + 400))).toEqual(["asked", "failed"]);
  const unseen = remember([], failing(1), AT_MS);
  expect(kinds(unseen)).toEqual(["asked", "failed"]);
  const unanswered = [{ at: AT, message_ids: ["m1"], attempts: 2 }];
  expect(kinds(remember(unseen, told({ unanswered }), AT_MS))).toEqual(["asked", "failed", "asked", "dead"]);
  const untried = [{ at: AT, message_ids: ["m1"], attempts: 0 }];
  expect(kinds(remember([], told({ unanswered: untried }), AT_MS))).toEqual(["dead"]);
});

test("the newest hundred are remembered", () => {
  let past: PastEvent[] = [];
  for (let n = 1; n <= 120; n += 1) past = remember(past, failing(n), AT_MS + n);
  expect([past.length, tries(past)[0]]).toEqual([100, [71, 71]]);
});
