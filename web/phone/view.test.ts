import { expect, test } from "vitest";
import type { KnownFeed } from "./known-feed.ts";
import { AT_MS, knownFeed, message, said, turn } from "./sample-feed.ts";
import { type Known, viewOf } from "./view.ts";

const view = (feeds: KnownFeed[], more: Partial<Known> = {}) =>
  viewOf({
    log: [],
    feeds,
    current: feeds.at(-1),
    feedFailed: false,
    retryAtMs: 0,
    nowMs: AT_MS,
    serviceNowMs: AT_MS,
    ...more,
  });

test("a page that knows nothing offers examples and shows nothing else", () => {
  const { items, rows, tally, now, hasExamples } = view([]);
  expect({ items, rows, tally, hasExamples }).toEqual({ items: [], rows: [], tally: "", hasExamples: true });
  expect(now.state).toBe("idle");
});

test("the conversation's id is there as soon as there is one", () => {
  expect([view([]).conversation, view([knownFeed()]).conversation]).toEqual(["", "c_1"]);
});

test("the examples stay while messages gather, and go with the first turn, or in trouble", () => {
  expect(view([knownFeed({ state: "gathering", staged: 1 })]).hasExamples).toBe(true);
  expect(view([knownFeed({ state: "answering", staged: 1 })]).hasExamples).toBe(false);
  expect(view([knownFeed()], { feedFailed: true }).hasExamples).toBe(false);
  expect(view([knownFeed({ turns: [turn("t1", "m1")] }), knownFeed()]).hasExamples).toBe(false);
});

test("chat, panel, tally and line are of one moment", () => {
  const messages = [message("user", "t1", "text m1", 1), message("assistant", "t1", "sure", 2)];
  const log = [said("m1", { turn: "t1" }), said("m2", { state: "waiting" })];
  const feeds = [knownFeed({ messages, turns: [turn("t1", "m1")] })];
  const { items, rows, tally, now } = view(feeds, { log, retryAtMs: AT_MS + 900 });
  expect(items.map(({ key }) => key)).toEqual(["m1", "t1:reply:2", "m2"]);
  expect(rows.map(({ what }) => what)).toEqual([
    "answered once",
    "asked for an answer",
    "waiting for the lull:",
    "message saved",
  ]);
  expect([tally, now.text, now.count]).toEqual([
    "1 message in, 1 reply out",
    "service away, next try in 1 s",
    "1 waiting",
  ]);
});
