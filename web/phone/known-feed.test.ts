import { expect, test } from "vitest";
import { joinFeed } from "./known-feed.ts";
import { AT, AT_MS, feed, message } from "./sample-feed.ts";

const after = (ms: number) => new Date(AT_MS + ms).toISOString();
const waiting = (id: string, ms = 0) => ({ id, text: id, at: after(ms) });

test("what an earlier feed gave stays, and the next one begins after it", () => {
  const before = joinFeed(undefined, feed({ messages: [message("user", "t1", "hi", 7)] }), AT_MS);
  expect(before.last).toBe(7);
  const joined = joinFeed(before, feed({ messages: [message("assistant", "t1", "hello", 9)] }), AT_MS);
  expect(joined.messages.map(({ text }) => text)).toEqual(["hi", "hello"]);
  expect(joined.last).toBe(9);
  expect(joinFeed(undefined, feed(), AT_MS).last).toBe(0);
});

test("a window opened with the first message that waits, and is as long as from there to its end", () => {
  const now = feed({ state: "gathering", due_in_ms: 3_000, waiting: [waiting("m1"), waiting("m2", 900)] });
  const { opened, dueAtMs } = joinFeed(undefined, now, AT_MS + 1_000);
  expect([opened, dueAtMs]).toEqual([{ atMs: AT_MS, wholeMs: 4_000 }, AT_MS + 4_000]);
});

test("a due time that only trembles moves no window; one that moves fills the bar again", () => {
  const at = (due_in_ms: number) => feed({ state: "gathering", due_in_ms, waiting: [waiting("m1")] });
  const first = joinFeed(undefined, at(3_000), AT_MS + 1_000);
  const trembled = joinFeed(first, at(2_700), AT_MS + 1_400);
  expect(trembled.opened).toEqual({ atMs: AT_MS, wholeMs: 4_000 });
  const moved = joinFeed(trembled, at(3_000), AT_MS + 2_000);
  expect(moved.opened).toEqual({ atMs: AT_MS, wholeMs: 3_000 });
});

test("a window behind a running turn begins with what the turn did not take", () => {
  const more = { answering_since: after(500), due_in_ms: 2_000 };
  const list = [waiting("taken"), waiting("later", 800)];
  const joined = joinFeed(undefined, feed({ state: "answering", ...more, waiting: list }), AT_MS + 1_000);
  expect(joined.answeringSinceAtMs).toBe(AT_MS + 500);
  expect(joined.opened?.atMs).toBe(AT_MS + 800);
});

test("a turn that waits for its answer without a lease has been answering since it was first seen", () => {
  const first = joinFeed(undefined, feed({ state: "answering" }), AT_MS);
  const second = joinFeed(first, feed({ state: "answering" }), AT_MS + 400);
  expect([first.answeringSinceAtMs, second.answeringSinceAtMs]).toEqual([AT_MS, AT_MS]);
  const over = joinFeed(second, feed({ state: "idle", now: AT }), AT_MS + 800);
  expect([over.answeringSinceAtMs, over.opened]).toEqual([undefined, undefined]);
});

test("between two tries no answer is made, though one may be drafted", () => {
  const failing = { tries: 1, again_in_ms: 2_000 };
  const { answeringSinceAtMs } = joinFeed(undefined, feed({ state: "answering", failing }), AT_MS);
  expect(answeringSinceAtMs).toBeUndefined();
});

test("the pause before a next try is no window", () => {
  const failing = { tries: 1, again_in_ms: 2_000 };
  const now = feed({ state: "gathering", due_in_ms: 2_000, waiting: [waiting("m1")], failing });
  const { opened, againAtMs } = joinFeed(undefined, now, AT_MS);
  expect([opened, againAtMs]).toEqual([undefined, AT_MS + 2_000]);
});
