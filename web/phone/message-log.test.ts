import { expect, test } from "vitest";
import { assignTurns, mergeLog, noteArrivals, unsent } from "./message-log.ts";
import { AT, AT_MS, said, turn } from "./sample-feed.ts";

test("an id that merely ends alike is another message", () => {
  const log = [said("1")];
  expect(assignTurns(log, [turn("t1", "m1")])).toBe(false);
});

test("two tabs' logs become one, and whatever got further wins", () => {
  const log = [said("a", { state: "waiting" }), said("b", { turn: "t1" })];
  const kept = log[0];
  mergeLog(log, [said("a"), said("b"), said("c", { at: AT_MS + 1 })]);
  expect(log.map((entry) => [entry.id, entry.state])).toEqual([
    ["a", "acked"],
    ["b", "acked"],
    ["c", "acked"],
  ]);
  expect(log[0]).toBe(kept);
  expect(log[1]).toHaveProperty("turn", "t1");
});

test("a message that a turn names is acknowledged, though its acknowledgement got lost", () => {
  const log = [said("m1", { state: "waiting" }), said("m2", { state: "waiting" })];
  expect(assignTurns(log, [turn("t1", "m1")])).toBe(true);
  expect(log[0]).toMatchObject({ state: "acked", turn: "t1" });
  expect(unsent(log).map(({ id }) => id)).toEqual(["m2"]);
  expect(assignTurns(log, [turn("t2", "m1")])).toBe(false);
});

test("what waits learns when it arrived, by the service's clock", () => {
  const log = [said("m1", { at: 1 }), said("m2", { at: 2 })];
  noteArrivals(log, [{ id: "m2", text: "text m2", at: AT }]);
  expect(log.map(({ arrivedAt }) => arrivedAt)).toEqual([undefined, AT_MS]);
});
