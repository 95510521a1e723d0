import { expect, test } from "vitest";
import { isUnsureNow, unansweredNow } from "./outcomes.ts";
import { AT, AT_MS, feed, turn } from "./sample-feed.ts";

const after = (ms: number) => new Date(AT_MS + ms).toISOString();
const letter = { at: AT, message_ids: ["m1"], attempts: 1 };
const ended = (outcome: string, ms: number) => ({ ...turn("t2", "m2"), outcome, committed_at: after(ms) });

test.each([
  ["nothing since", [], true],
  ["a good answer since", [ended("replied", 1)], false],
  ["a good answer before", [ended("replied", -1)], true],
  ["a turn that needed no answer since", [ended("no-reply", 1)], false],
  ["a turn that was refused since", [ended("refused: PROJECT_INACTIVE", 1)], true],
])("messages that failed for good, with %s", (_what, turns, isUnanswered) => {
  expect(unansweredNow(feed({ unanswered: [letter], turns })) !== undefined).toBe(isUnanswered);
});

test("what was to be said unasked is no message of the visitor's", () => {
  expect(unansweredNow(feed({ unanswered: [{ ...letter, message_ids: [] }] }))).toBeUndefined();
});

test("an answer is in doubt until another one comes", () => {
  const unknown = [{ at: AT, turn_id: "t1" }];
  expect(isUnsureNow(feed({ unknown, turns: [ended("unknown", 1)] }))).toBe(true);
  expect(isUnsureNow(feed({ unknown, turns: [ended("replied", 1)] }))).toBe(false);
  expect(isUnsureNow(feed())).toBe(false);
});
