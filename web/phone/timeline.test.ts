import { expect, test } from "vitest";
import { assignTurns } from "./message-log.ts";
import { AT, AT_MS, feed, message, said, turn } from "./sample-feed.ts";
import { type Item, timelineOf } from "./timeline.ts";

const shown = (items: Item[]) =>
  items.map((item) => {
    if ("rule" in item) return item.rule;
    return [item.side, item.text, item.side === "out" ? item.tick : ""].filter(Boolean).join(" ");
  });
const noteOf = (item: Item | undefined) => (item && "note" in item ? item.note : undefined);

test("a burst stays as it was typed, with one reply under it", () => {
  const log = [said("m1"), said("m2"), said("m3")];
  expect(assignTurns(log, [turn("t1", "m1", "m2")])).toBe(true);
  const messages = [message("user", "t1", "text m1\ntext m2", 1), message("assistant", "t1", "sure", 2)];
  const items = timelineOf(log, [feed({ turns: [turn("t1", "m1", "m2")], messages })]);
  expect(shown(items)).toEqual(["out text m1 checks", "out text m2 checks", "in sure", "out text m3 check"]);
  expect(noteOf(items[2])).toBe("1 answer to 2 messages");
});

test("without the log the merged text is cut up where that is certain, else shown as it is", () => {
  const messages = [message("user", "t1", "a\nb", 1), message("user", "t2", "a\nb", 2)];
  const items = timelineOf([], [feed({ turns: [turn("t1", "x", "y"), turn("t2", "z")], messages })]);
  expect(shown(items)).toEqual(["out a checks", "out b checks", "out a\nb checks"]);
});

test("what waits in the service and is not in the log is shown too", () => {
  const waiting = [
    { id: "m1", text: "known", at: AT },
    { id: "m9", text: "from elsewhere", at: AT },
  ];
  expect(shown(timelineOf([said("m1")], [feed({ waiting })]))).toEqual([
    "out text m1 check",
    "out from elsewhere check",
  ]);
});

test("a refused message stays where it was said, an unsent one comes last", () => {
  const log = [
    said("no", { state: "refused", at: AT_MS - 1, why: "too late" }),
    said("later", { state: "waiting" }),
  ];
  const items = timelineOf(log, [feed({ messages: [message("assistant", "t1", "hello", 1)] })]);
  expect(shown(items)).toEqual(["out text no alert", "in hello", "out text later clock"]);
  expect(noteOf(items[0])).toBe("too late");
});

test("a second conversation of the same visitor is set off by a line", () => {
  const one = feed({ messages: [message("assistant", "t1", "bye", 1)] });
  const two = feed({ conversation: "c_2", messages: [message("assistant", "t2", "hello again", 2)] });
  expect(shown(timelineOf([], [one, two]))).toEqual(["in bye", "new conversation", "in hello again"]);
});

test("a turn's bubbles are shown once, though the history may hold them twice", () => {
  const log = [said("m1", { turn: "t1" })];
  const messages = [message("user", "t1", "text m1", 1), message("user", "t1", "text m1", 2)];
  const items = timelineOf(log, [feed({ turns: [turn("t1", "m1")], messages })]);
  expect(shown(items)).toEqual(["out text m1 checks"]);
});

test("a second conversation without a message is not set off", () => {
  const one = feed({ messages: [message("assistant", "t1", "bye", 1)] });
  expect(shown(timelineOf([], [one, feed({ conversation: "c_2" })]))).toEqual(["in bye"]);
});

test("a message that failed for good stays where it was said, and says so, until a turn answers it", () => {
  const log = [said("m1", { at: AT_MS - 1 })];
  const unanswered = [{ at: AT, message_ids: ["m1"], attempts: 1 }];
  const messages = [message("assistant", "t2", "hello", 1)];
  const items = timelineOf(log, [feed({ unanswered, messages })]);
  expect(shown(items)).toEqual(["out text m1 unanswered", "in hello"]);
  expect(noteOf(items[0])).toBe("could not be answered");
});

test("an answer that may not have arrived says so", () => {
  const messages = [message("assistant", "t1", "hello", 1)];
  const items = timelineOf([], [feed({ messages, unknown: [{ at: AT, turn_id: "t1" }] })]);
  expect(noteOf(items[0])).toBe("may not have arrived");
});
