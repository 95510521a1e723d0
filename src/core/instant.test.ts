import { afterEach, describe, expect, it, vi } from "vitest";
import { instantInText, isInstant } from "./instant.ts";

it("an instant can be written as a date, to the last millisecond on both sides", () => {
  for (const atMs of [0, 8.64e15, -8.64e15]) {
    expect(isInstant(atMs)).toBe(true);
    expect(() => new Date(atMs).toISOString()).not.toThrow();
  }
  for (const atMs of [8.64e15 + 1, -8.64e15 - 1, Number.NaN, Number.POSITIVE_INFINITY])
    expect(isInstant(atMs)).toBe(false);
});

describe("an instant that another program wrote as text", () => {
  afterEach(() => void vi.unstubAllEnvs());
  const ZONES = ["America/El_Salvador", "UTC", "Asia/Kolkata"];
  const everywhere = (text: string) =>
    ZONES.map((zone) => {
      vi.stubEnv("TZ", zone);
      return instantInText(text);
    });

  it("is tested under time zones that differ", () => {
    const offsets = ZONES.map((zone) => {
      vi.stubEnv("TZ", zone);
      return new Date(0).getTimezoneOffset();
    });
    expect(offsets).toEqual([360, 0, -330]);
  });

  it.each([
    "2026-01-01T10:00:00",
    "2026-01-01t10:00",
    "2026-01-01  10:00:00,5",
    "2026-01-01T10:00:00.1234567",
    "2026/01/01 10:00:00",
    "2026-1-1 10:00:00",
    "Thu, 01 Jan 2026 10:00:00",
    "Thu Jan  1 10:00:00 2026",
    "1/1/2026, 10:00:00 AM",
    "2026-01-01 10:00:00 (local)",
    "2026-01-01T10:00:00z",
    "2026-01-01 10:00:00 UTC",
    "Thu Jan 1 10:00:00 GMT 2026",
    "2026-01-01 04:00:00-06",
    "2026-01-01 11:00:00 +0100",
    "1/1/2026 11:00 AM +0100",
    "Thu, 01 Jan 2026 04:00:00 CST",
    "Thu Jan 1 04:00:00 CST 2026",
    "Thu Jan 1 15:30:00 2026 +0530",
    "Thu Jan 01 2026 11:00:00 GMT+0100 (Central European Standard Time)",
  ])("%s is ten o'clock in UTC wherever it is read", (text) => {
    const ten = Date.UTC(2026, 0, 1, 10);
    for (const atMs of everywhere(text)) expect(Math.abs(atMs! - ten)).toBeLessThan(1_000);
  });

  it.each(["2026-01-01", "2026/01/01", "Jan 1 2026", "01-01-2026", "2026"])(
    "%s is the day in UTC wherever it is read",
    (text) => expect(everywhere(text)).toEqual(ZONES.map(() => Date.UTC(2026, 0, 1))),
  );

  it.each(["", "soon", "Z", "UTC", "2026-13-45", "2026-13-45 10:00:00", "1767225600"])("%j is none", (text) =>
    expect(everywhere(text)).toEqual(ZONES.map(() => undefined)),
  );
});
