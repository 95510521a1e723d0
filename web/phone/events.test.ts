import { expect, test } from "vitest";
import { eventsOf, panelRows, tallyOf } from "./events.ts";
import { AT_MS, feed, knownFeed, said, turn } from "./sample-feed.ts";

test("the panel lists a burst from its first message to its commit", () => {
  const log = [said("m1", { turn: "t1" }), said("m2", { state: "waiting" })];
  const events = eventsOf(log, [feed({ turns: [turn("t1", "m1", "m0")] })]);
  expect(events.map(({ what, detail }) => `${what}: ${detail}`)).toEqual([
    "staged: text m1",
    "window opened: due in 0 s",
    "turn taken: with 2 messages",
    "turn committed: 2 messages, 1 reply",
  ]);
});

test("what happened in the same millisecond is listed in the order of a turn", () => {
  const opened = { atMs: AT_MS, wholeMs: 5_000 };
  const now = knownFeed({ opened, dueAtMs: AT_MS + 5_000, answeringSinceAtMs: AT_MS });
  const events = eventsOf([said("m1")], [{ ...now, turns: [turn("t1", "m0")] }]);
  const kinds = ["staged", "window", "window", "taken", "taken", "committed"];
  expect(events.map(({ kind }) => kind)).toEqual(kinds);
});

test("a message stands where the service says that it arrived, else where its acknowledgement came", () => {
  const late = said("late", { at: AT_MS - 9, ackedAt: AT_MS + 5, arrivedAt: AT_MS + 2 });
  const early = said("early", { ackedAt: AT_MS + 1 });
  expect(eventsOf([late, early], []).map(({ key, at }) => [key, at - AT_MS])).toEqual([
    ["m:early", 1],
    ["m:late", 2],
  ]);
});

test("the panel's rows are the newest first, quoted and cut, and a window counts down", () => {
  const text = `a  long\n${"x".repeat(80)}`;
  const log = [said("m1", { text }), said("m2", { at: AT_MS + 1, state: "refused", why: "too late" })];
  const opened = { atMs: AT_MS, wholeMs: 5_000 };
  const rows = panelRows(log, [knownFeed({ opened, dueAtMs: AT_MS + 4_100 })], AT_MS);
  expect(rows.map(({ what, detail }) => `${what}: ${detail}`)).toEqual([
    "refused: too late",
    "window opened: due in 5 s",
    `staged: “a long ${"x".repeat(52)}…”`,
  ]);
  const [, window] = panelRows(log, [knownFeed({ opened, dueAtMs: AT_MS + 4_100 })], AT_MS + 4_100);
  expect(window?.detail).toBe("due now");
});

test("the panel keeps the newest eighty", () => {
  const log = Array.from({ length: 90 }, (_, n) => said(`m${n}`, { at: AT_MS + n }));
  const rows = panelRows(log, [], AT_MS);
  expect([rows.length, rows[0]?.key, rows.at(-1)?.key]).toEqual([80, "m:m89", "m:m10"]);
});

test.each([
  ["replied", 2, "committed", "2 messages, 1 reply"],
  ["replied", 0, "committed", "1 message out"],
  ["no-reply", 1, "taken", "1 message, no-reply"],
  ["dead", 3, "trouble", "3 messages, dead"],
])("a turn %s of %i messages is shown as %s", (outcome, count, kind, detail) => {
  const ids = Array.from({ length: count }, (_, n) => `m${n}`);
  const events = eventsOf([], [feed({ turns: [{ ...turn("t1", ...ids), outcome }] })]);
  expect(events.find(({ what }) => what === "turn committed")).toMatchObject({ kind, detail });
});

test("the tally counts what went in and what came out", () => {
  const turns = [turn("t1", "a", "b"), { ...turn("t2", "c"), outcome: "no-reply" }];
  expect(tallyOf([feed({ turns })])).toBe("3 messages in, 1 reply out");
  expect(tallyOf([feed()])).toBe("");
});
