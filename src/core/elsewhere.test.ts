import { expect, it } from "vitest";
import { decideElsewhere, isHonouredOnReceipt } from "./elsewhere.ts";

const NOW = 10_000_000;
const settings = {
  honourStatus: true,
  honourStatusForMs: 600_000,
  honourStatusForMsMax: 3_600_000,
  holdMs: 60_000,
  clockSkewMs: 2_000,
};
const noted = (agoMs: number, waitingForMs = agoMs) => ({
  elsewhere: { sinceAtMs: NOW - agoMs, recordAtMs: 0, waitingSinceAtMs: NOW - waitingForMs },
});
const decide = (state = {}, updatedAtMs = 0) => decideElsewhere({ updatedAtMs }, state, NOW, settings);

it.each([
  ["first seen now", undefined, 2_000],
  ["seen a moment ago", 1_000, 2_000],
  ["seen for ten seconds", 10_000, 10_000],
  ["seen for five minutes", 300_000, 60_000],
  ["nearly over", 601_000, 1_000],
])("another system's status, %s, is looked at again in time", (_, agoMs, pauseMs) => {
  const { elsewhere } = noted(agoMs ?? 0);
  const isFirst = agoMs === undefined;
  const honoured = { kind: "honoured", elsewhere, againAtMs: NOW + pauseMs, isFirst };
  expect(decide(agoMs === undefined ? {} : noted(agoMs))).toEqual(honoured);
});

it("a status is stale when its time is over on every clock, and no sooner", () => {
  expect(decide(noted(601_999)).kind).toBe("honoured");
  expect(decide(noted(602_000))).toEqual({ kind: "stale" });
});

it("a record that was changed since is another processing, whatever its time", () => {
  for (const updatedAtMs of [1, NOW, NOW + 3_600_000])
    expect(decide(noted(602_000), updatedAtMs)).toEqual({
      kind: "honoured",
      elsewhere: { sinceAtMs: NOW, recordAtMs: updatedAtMs, waitingSinceAtMs: NOW - 602_000 },
      againAtMs: NOW + 2_000,
      isFirst: false,
    });
});

it("all processings that a turn waits for have an end together", () => {
  const waiting = (ms: number) => decide(noted(1_000, ms), 5);
  expect(waiting(3_601_000)).toMatchObject({ kind: "honoured", againAtMs: NOW + 1_000 });
  expect(waiting(3_602_000)).toEqual({ kind: "stale" });
});

it("a look that is noted ahead, by a clock that was set back since, counts from now", () => {
  expect(decide(noted(-5_000))).toMatchObject({
    kind: "honoured",
    elsewhere: { sinceAtMs: NOW, waitingSinceAtMs: NOW },
  });
});

it("on receipt, an old record that no look has seen yet locks no customer out", () => {
  const isHonoured = (updatedAtMs: number, state = {}) =>
    isHonouredOnReceipt({ updatedAtMs }, state, NOW, settings);
  expect(isHonoured(NOW - 1_000)).toBe(true);
  expect(isHonoured(NOW - 602_000)).toBe(false);
  expect([isHonoured(NOW + 2_000), isHonoured(NOW + 2_001)]).toEqual([true, false]);
  expect(isHonoured(0, noted(1_000))).toBe(true);
  expect(isHonoured(0, noted(602_000))).toBe(false);
  expect(isHonoured(0, noted(1_000, 3_602_000))).toBe(false);
});
