import { expect, it } from "vitest";
import { decideElsewhere, isHonouredOnReceipt } from "./elsewhere.ts";

const NOW = 10_000_000;
const settings = { honourStatus: true, honourStatusForMs: 600_000, holdMs: 60_000 };
const decide = (elsewhereSinceAtMs?: number, updatedAtMs = 0) =>
  decideElsewhere({ updatedAtMs }, { elsewhereSinceAtMs }, NOW, settings);

it.each([
  ["first seen now", undefined, 2_000],
  ["seen a moment ago", 1_000, 2_000],
  ["seen for ten seconds", 10_000, 10_000],
  ["seen for five minutes", 300_000, 60_000],
  ["nearly over", 599_000, 1_000],
])("another system's status, %s, is looked at again in time", (_, agoMs, pauseMs) => {
  const sinceAtMs = NOW - (agoMs ?? 0);
  const honoured = { kind: "honoured", sinceAtMs, againAtMs: NOW + pauseMs };
  expect(decide(agoMs === undefined ? undefined : sinceAtMs)).toEqual(honoured);
});

it("a status is stale when its time is over, and no sooner", () => {
  expect(decide(NOW - 599_999).kind).toBe("honoured");
  expect(decide(NOW - 600_000)).toEqual({ kind: "stale" });
  expect(decide(NOW - 600_000, NOW - 1_000).kind).toBe("honoured");
});

it("a time that lies ahead does not honour it for longer", () => {
  expect(decide(NOW + 5_000)).toMatchObject({ kind: "honoured", sinceAtMs: NOW });
  expect(decide(NOW - 600_000, NOW + 1)).toEqual({ kind: "stale" });
});

it("on receipt, an old record that no look has seen yet locks nobody out", () => {
  const isHonoured = (updatedAtMs: number, elsewhereSinceAtMs?: number) =>
    isHonouredOnReceipt({ updatedAtMs }, { elsewhereSinceAtMs }, NOW, settings);
  expect(isHonoured(NOW - 1_000)).toBe(true);
  expect(isHonoured(NOW - 600_000)).toBe(false);
  expect(isHonoured(NOW + 1)).toBe(false);
  expect(isHonoured(NOW - 600_000, NOW - 1_000)).toBe(true);
  expect(isHonoured(NOW - 600_000, NOW + 1_000)).toBe(true);
});
