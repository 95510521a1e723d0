import { expect, test } from "vitest";
import type { KnownFeed } from "./known-feed.ts";
import { AT_MS, knownFeed } from "./sample-feed.ts";
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

test.each<[string, KnownFeed | undefined, string, string, string]>([
  ["nothing known", undefined, "idle", "", ""],
  ["nothing going on", knownFeed(), "idle", "", ""],
  ["a window", GATHERING, "gathering", "gathering … 3 s", "2 messages"],
  ["a window that is over", { ...GATHERING, dueAtMs: AT_MS }, "gathering", "gathering …", "2 messages"],
  ["a turn", knownFeed({ state: "answering", staged: 1 }), "answering", "answering…", "1 message"],
  ["a pause", { ...GATHERING, paused: true }, "trouble", "answering is paused", "2 messages"],
  ["a pause without a message", knownFeed({ paused: true }), "idle", "", ""],
  ["an operator", knownFeed({ handed_off: true }), "trouble", "a person has taken over", ""],
  [
    "a dead letter",
    knownFeed({ status: "processing_error" }),
    "trouble",
    "could not be answered: see the dead letters",
    "",
  ],
])("with %s the line says so", (_what, feed, state, text, count) => {
  expect(told(feed)).toMatchObject({ state, text, count });
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
