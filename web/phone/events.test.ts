import { expect, test } from "vitest";
import { panelRows, tallyOf } from "./events.ts";
import { joinFeed, type KnownFeed } from "./known-feed.ts";
import type { LogEntry } from "./message-log.ts";
import { AT, AT_MS, feed, knownFeed, said, turn } from "./sample-feed.ts";

const after = (ms: number) => new Date(AT_MS + ms).toISOString();
/** From the oldest on, as a person reads them. */
const told = (log: readonly LogEntry[], feeds: readonly KnownFeed[], nowMs = AT_MS) =>
  panelRows(log, feeds, nowMs)
    .map(({ what, detail }) => `${what} ${detail}`.trim())
    .reverse();

test("the panel lists a burst from its first message to its answer", () => {
  const log = [said("m1", { turn: "t1" }), said("m2", { state: "waiting" })];
  expect(told(log, [knownFeed({ turns: [turn("t1", "m1", "m0")] })])).toEqual([
    "message saved “text m1”",
    "waiting for the lull: 0 s",
    "asked for an answer with 2 messages",
    "answered once 2 messages",
  ]);
});

test("beside a newcomer's words stand Lull's own", () => {
  const rows = panelRows([said("m1")], [knownFeed({ turns: [turn("t1", "m1")] })], AT_MS);
  const terms = ["turn committed", "turn taken", "window opened", "staged"];
  expect(rows.map(({ term }) => term)).toEqual(terms);
});

test("a message stands where the service says that it arrived, else where its acknowledgement came", () => {
  const late = said("late", { at: AT_MS - 9, ackedAt: AT_MS + 5, arrivedAt: AT_MS + 2 });
  const early = said("early", { ackedAt: AT_MS + 1 });
  expect(panelRows([late, early], [], AT_MS).map(({ key, at }) => [key, at - AT_MS])).toEqual([
    ["m:late", 2],
    ["m:early", 1],
  ]);
});

test("the panel's rows are the newest first, quoted and cut, and a window counts down", () => {
  const text = `a  long\n${"x".repeat(80)}`;
  const log = [said("m1", { text }), said("m2", { at: AT_MS + 1, state: "refused", why: "too late" })];
  const waiting = [{ id: "m1", text, at: AT }];
  const now = joinFeed(undefined, feed({ state: "gathering", due_in_ms: 4_100, waiting }), AT_MS);
  expect(told(log, [now])).toEqual([
    `message saved “a long ${"x".repeat(52)}…”`,
    "waiting for the lull: 5 s",
    "message not accepted too late",
  ]);
  expect(told(log, [now], AT_MS + 4_100)[1]).toBe("waiting for the lull: over");
});

test("the panel keeps the newest eighty", () => {
  const log = Array.from({ length: 90 }, (_, n) => said(`m${n}`, { at: AT_MS + n }));
  const rows = panelRows(log, [], AT_MS);
  expect([rows.length, rows[0]?.key, rows.at(-1)?.key]).toEqual([80, "m:m89", "m:m10"]);
});

test.each([
  ["replied", 2, "done", "answered once", "2 messages"],
  ["replied", 0, "done", "message sent to you", ""],
  ["no-reply", 1, "done", "no answer was needed", "1 message"],
  ["handed-off", 1, "done", "handed to a person", "1 message"],
  ["unknown", 1, "trouble", "answer sent", "1 message"],
  ["refused: ROUTE_NOT_FOUND", 1, "trouble", "not accepted", "1 message"],
  ["odd", 3, "trouble", "ended without an answer", "3 messages"],
])("a turn %s of %i messages is shown as %s", (outcome, count, kind, what, detail) => {
  const ids = Array.from({ length: count }, (_, n) => `m${n}`);
  const [row] = panelRows([], [knownFeed({ turns: [{ ...turn("t1", ...ids), outcome }] })], AT_MS);
  expect(row).toMatchObject({ kind, what, detail, term: expect.stringMatching(/^turn committed/) });
});

test("the tally counts what went in and what came out", () => {
  const turns = [turn("t1", "a", "b"), { ...turn("t2", "c"), outcome: "no-reply" }];
  expect(tallyOf([knownFeed({ turns })])).toBe("3 messages in, 1 reply out");
  expect(tallyOf([knownFeed()])).toBe("");
});

const REASON = "OPENAI_UNAUTHORIZED: OpenAI answered 401";
const LETTER = { at: after(9_000), message_ids: ["m1"], attempts: 2, reason: REASON, id: "d_1" };
const waiting = [{ id: "m1", text: "text m1", at: AT }];

/** What the page is told, each 1 s after the other. */
function joinedAll(...feeds: Parameters<typeof feed>[0][]): KnownFeed {
  return feeds.reduce<KnownFeed | undefined>(
    (before, each, index) => joinFeed(before, feed(each), AT_MS + index * 1_000),
    undefined,
  )!;
}

const FAILED_TWICE = [
  { state: "gathering", waiting, due_in_ms: 1_000 },
  { state: "answering", waiting, answering_since: after(1_000) },
  {
    state: "gathering",
    waiting,
    due_in_ms: 1_000,
    failing: { reason: REASON, tries: 1, since: after(1_500), again_in_ms: 1_000 },
  },
  { state: "answering", waiting, answering_since: after(3_000), failing: { reason: REASON, tries: 1 } },
  {
    state: "gathering",
    waiting,
    due_in_ms: 12_000,
    failing: { reason: "OPENAI_UNAVAILABLE: 500", tries: 2, again_in_ms: 12_000 },
  },
] as const;

test("every try stays, with why it failed and when the next one is", () => {
  const now = joinedAll(...FAILED_TWICE);
  const rows = (nowMs: number) => told([said("m1")], [now], nowMs);
  expect(rows(AT_MS + 4_000)).toEqual([
    "message saved “text m1”",
    "waiting for the lull: 1 s",
    "asked for an answer",
    `failed: ${REASON}, tried again`,
    "asked for an answer",
    "failed, try 2: OPENAI_UNAVAILABLE: 500, tried again in 12 s",
  ]);
  expect(rows(AT_MS + 16_000).at(-1)).toBe("failed, try 2: OPENAI_UNAVAILABLE: 500, tried again");
});

test("what failed for good stays, with the command as long as it helps", () => {
  const dead = joinedAll(...FAILED_TWICE, { unanswered: [LETTER] });
  const [row] = panelRows([], [dead], AT_MS);
  expect(row).toMatchObject({
    what: "failed for good:",
    detail: `${REASON}, after 2 tries`,
    term: "dead letter",
    command: "npx lull dead retry d_1",
  });
  const retried = joinFeed(dead, feed({ turns: [turn("t1", "m1")] }), AT_MS + 20_000);
  const again = panelRows([], [retried], AT_MS).find(({ term }) => term === "dead letter");
  expect(again).toMatchObject({ what: "failed for good:" });
  expect(again).not.toHaveProperty("command");
});

test("without a reason and an id the panel says what it knows", () => {
  const { at, message_ids, attempts } = { ...LETTER, attempts: 1 };
  const now = joinedAll(
    { failing: { tries: 1, again_in_ms: 3_000 } },
    { unanswered: [{ at, message_ids, attempts }] },
  );
  expect(told([], [now]).filter((row) => row.startsWith("failed"))).toEqual([
    "failed: tried again",
    "failed for good: after 1 try",
  ]);
  expect(panelRows([], [now], AT_MS)[0]).not.toHaveProperty("command");
});

test("an answer that may not have arrived is told, with the command that sends it again", () => {
  const now = joinedAll({ unknown: [{ at: AT, turn_id: "t1", id: "u_1" }] });
  expect(panelRows([], [now], AT_MS)).toMatchObject([
    { what: "the answer may not have arrived", term: "unknown send", command: "npx lull unknown resend u_1" },
  ]);
});

test("what a turn's record tells is not told twice", () => {
  const record = {
    ...turn("t1", "m1"),
    due_at: after(1_000),
    taken_at: after(1_010),
    committed_at: after(2_000),
  };
  const now = joinedAll(FAILED_TWICE[0], FAILED_TWICE[1], { turns: [record] });
  expect(told([], [now])).toEqual([
    "waiting for the lull: 1 s",
    "asked for an answer with 1 message",
    "answered once 1 message",
  ]);
});

test("a turn that waits for its answer without a lease is told since the page saw it", () => {
  expect(told([], [joinedAll({ state: "answering" })])).toEqual(["asked for an answer"]);
});
