import { describe, expect, test } from "vitest";
import { settingsWith } from "../core/defaults.ts";
import { cutTo, settingsFor } from "../core/projects.ts";
import type { Settings } from "../model/settings.ts";
import { budgetOf } from "./deadline.ts";

const settings = settingsWith({});
const answerMs = (given: Settings, channel?: string) => settingsFor(given, channel).answerTimeoutMs;

describe("a function's time", () => {
  test.each([1_000, 3_000, 10_000, 30_000, 60_000, 180_000, 900_000])(
    "of %i ms leaves room for a send on its way, its writes and the report",
    (remainingMs) => {
      const { stopMs, endMs, limits } = budgetOf(remainingMs, settings);
      const cut = cutTo(settings, limits);
      expect(limits.answerTimeoutMs).toBeLessThan(stopMs);
      expect(stopMs + limits.sendTimeoutMs).toBeLessThan(endMs);
      expect(endMs).toBeLessThan(remainingMs);
      expect(stopMs).toBeGreaterThanOrEqual(remainingMs * 0.75 - 1);
      expect(cut.sendTimeoutMs).toBeLessThanOrEqual(settings.sendTimeoutMs);
      expect(answerMs(cut)).toBeLessThanOrEqual(answerMs(settings));
    },
  );

  test("that is long enough changes no limit", () => {
    const { limits } = budgetOf(300_000, settings);
    expect(cutTo(settings, limits)).toEqual(settings);
    expect(answerMs(settings)).toBe(120_000);
  });

  test("that is long enough leaves a project its own, which may be longer than that for all", () => {
    const patient = settingsWith({
      channels: { sms: { type: "sms", window: { kind: "fixed", lengthMs: 0 }, project: "acme" } },
      projects: { acme: { status: "active", own: { answerTimeoutMs: 300_000 } } },
    });
    const ownMs = (remainingMs: number) =>
      answerMs(cutTo(patient, budgetOf(remainingMs, patient).limits), "sms");
    expect([ownMs(900_000), ownMs(60_000)]).toEqual([300_000, 40_500]);
  });

  test("that is shorter than an answer may take cuts it, so that it fails before the function does", () => {
    const { limits, stopMs } = budgetOf(60_000, settings);
    expect(stopMs).toBe(45_000);
    expect(limits).toEqual({ answerTimeoutMs: 40_500, sendTimeoutMs: 10_000 });
  });

  test("that is over is no time", () => {
    expect(budgetOf(0, settings)).toEqual({
      stopMs: 0,
      endMs: 0,
      limits: { answerTimeoutMs: 0, sendTimeoutMs: 0 },
    });
  });
});
