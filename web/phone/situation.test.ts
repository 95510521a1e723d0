import { expect, test } from "vitest";
import type { KnownFeed } from "./known-feed.ts";
import { AT, AT_MS, knownFeed, turn } from "./sample-feed.ts";
import { type Circumstances, situation } from "./situation.ts";

const calm = { feedFailed: false, unsent: 0, retryAtMs: 0, nowMs: AT_MS, serviceNowMs: AT_MS };
const told = (feed: KnownFeed | undefined, more: Partial<Circumstances> = {}) =>
  situation({ ...calm, feed, ...more });
const GATHERING = knownFeed({
  state: "gathering",
  staged: 2,
  dueAtMs: AT_MS + 2_500,
  opened: { atMs: AT_MS - 2_500, wholeMs: 5_000 },
});
const FAILING = knownFeed({
  state: "gathering",
  staged: 1,
  failing: { reason: "OPENAI_DOWN: 500", tries: 2 },
  againAtMs: AT_MS + 11_500,
});
const LETTER = { at: AT, message_ids: ["m1"], attempts: 1, reason: "OPENAI_REJECTED: 400" };
const DEAD = knownFeed({ status: "processing_error", unanswered: [LETTER] });
const ANSWERED = { ...turn("t2", "m2"), committed_at: new Date(AT_MS + 1).toISOString() };
const UNSURE = knownFeed({ unknown: [{ at: AT, turn_id: "t1" }] });

test.each<[string, KnownFeed | undefined, string, string, string]>([
  ["nothing known", undefined, "idle", "", ""],
  ["nothing going on", knownFeed(), "idle", "", ""],
  ["a window", GATHERING, "gathering", "waiting for the lull: 3 s", "2 messages"],
  [
    "a window that is over",
    { ...GATHERING, dueAtMs: AT_MS },
    "gathering",
    "waiting for the lull",
    "2 messages",
  ],
  ["a turn", knownFeed({ state: "answering", staged: 1 }), "answering", "answering…", "1 message"],
  ["a pause", { ...GATHERING, paused: true }, "trouble", "answering is paused", "2 messages"],
  ["a pause without a message", knownFeed({ paused: true }), "idle", "", ""],
  ["an operator", knownFeed({ handed_off: true }), "trouble", "a person has taken over", ""],
  ["a try that failed", FAILING, "trouble", "no answer yet, trying again in 12 s: 500", "1 message"],
  [
    "a try that failed, without a reason",
    { ...FAILING, failing: { tries: 2 }, againAtMs: undefined },
    "trouble",
    "no answer yet, trying again",
    "1 message",
  ],
  [
    "a draft whose sending failed",
    { ...FAILING, state: "answering" },
    "trouble",
    "no answer yet, trying again in 12 s: 500",
    "1 message",
  ],
  [
    "another try",
    { ...FAILING, state: "answering", againAtMs: undefined },
    "answering",
    "answering… try 3",
    "1 message",
  ],
  ["a dead letter", DEAD, "trouble", "could not be answered: 400", ""],
  [
    "a dead letter whose reason is not told",
    knownFeed({ unanswered: [{ at: AT, message_ids: ["m1"], attempts: 1 }] }),
    "trouble",
    "could not be answered",
    "",
  ],
  [
    "a dead letter that is not told of",
    knownFeed({ status: "processing_error" }),
    "trouble",
    "could not be answered",
    "",
  ],
  ["a dead letter, and an answer since", { ...DEAD, turns: [ANSWERED] }, "idle", "", ""],
  ["an unknown send", UNSURE, "trouble", "the answer may not have arrived", ""],
])("with %s the line says so", (_what, feed, state, text, count) => {
  expect(told(feed)).toMatchObject({ state, text, count });
});

test.each<[string, KnownFeed]>([
  ["answers after the lull", knownFeed()],
  ["answers after the lull", { ...DEAD, turns: [ANSWERED] }],
  ["listening", GATHERING],
  ["typing…", knownFeed({ state: "answering" })],
  ["trying again", FAILING],
  ["trying again", { ...FAILING, state: "answering", againAtMs: undefined }],
  ["could not answer", DEAD],
  ["not sure that it arrived", UNSURE],
  ["a person has taken over", knownFeed({ handed_off: true })],
  ["paused", knownFeed({ paused: true })],
  ["paused", { ...GATHERING, paused: true }],
])("the header says %s", (presence, feed) => {
  expect(told(feed).presence).toBe(presence);
});

test("the header says when the service is not reachable", () => {
  expect(told(GATHERING, { feedFailed: true }).presence).toBe("not reachable");
});

test("trouble comes first: what waits here counts down to the next try", () => {
  const away = { unsent: 2, retryAtMs: AT_MS + 1_200, feedFailed: true };
  expect(told(GATHERING, away)).toMatchObject({
    state: "trouble",
    text: "service away, next try in 2 s",
    count: "2 waiting",
  });
  expect(told(GATHERING, { ...away, nowMs: AT_MS + 1_200 }).text).toBe("trying again");
  expect(told(GATHERING, { ...away, unsent: 0 }).text).toBe("service away, trying again");
});

test("the bar shows how much of the window is left, by the service's clock", () => {
  expect(told(GATHERING).share).toBe(0.5);
  expect(told(GATHERING, { nowMs: 0, serviceNowMs: AT_MS + 1_500 }).share).toBe(0.2);
  expect(told(GATHERING, { serviceNowMs: AT_MS - 9_000 }).share).toBe(1);
});

test("what a screen reader says does not change with every second", () => {
  const later = told(GATHERING, { serviceNowMs: AT_MS + 1_000 });
  expect([told(GATHERING).heard, later.heard]).toEqual(["Gathering messages.", "Gathering messages."]);
});

test("an outage of minutes is told with how long it has lasted", () => {
  const since = new Date(AT_MS - 150_000).toISOString();
  const away = { ...FAILING, failing: { ...FAILING.failing!, since } };
  expect(told(away).text).toBe("no answer for 2 min, trying again in 12 s: 500");
});
