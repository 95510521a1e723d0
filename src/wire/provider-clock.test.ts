import { describe, expect, it } from "vitest";
import { sinceOnTheirClock } from "./provider-clock.ts";

const NOW_MS = Date.UTC(2026, 10, 15, 12);
const HOUR = 3_600_000;
const AT_MS = NOW_MS - 120_000;
const dateOf = (atMs: number) => new Date(atMs).toUTCString();

describe("a moment on the provider's clock", () => {
  it("is the same where both clocks agree, or the provider tells no time", () => {
    for (const date of [dateOf(NOW_MS), null, "", "soon"])
      expect(sinceOnTheirClock(AT_MS, date, NOW_MS)).toEqual({ certainAtMs: AT_MS, possibleAtMs: AT_MS });
  });

  it("is earlier by as much as our clock is fast", () => {
    const atMs = AT_MS - HOUR;
    expect(sinceOnTheirClock(AT_MS, dateOf(NOW_MS - HOUR), NOW_MS)).toEqual({
      certainAtMs: atMs,
      possibleAtMs: atMs,
    });
  });

  it("is later by as much as our clock is slow, and in doubt between: it may have been set back", () => {
    expect(sinceOnTheirClock(AT_MS, dateOf(NOW_MS + HOUR), NOW_MS)).toEqual({
      certainAtMs: AT_MS + HOUR,
      possibleAtMs: AT_MS,
    });
  });

  it("is an hour ago at the latest where our clock was evidently set back since: the time is unknown", () => {
    const since = (nowMs: number, theirAtMs: number) => sinceOnTheirClock(AT_MS, dateOf(theirAtMs), nowMs);
    const back = AT_MS - 1;
    expect(since(back, NOW_MS)).toEqual({ certainAtMs: NOW_MS - HOUR, possibleAtMs: NOW_MS - HOUR });
    // Whatever the provider's clock shows.
    expect(since(back, NOW_MS - HOUR).certainAtMs).toBe(NOW_MS - 2 * HOUR);
    expect(since(back, NOW_MS + 2 * HOUR)).toEqual({ certainAtMs: AT_MS, possibleAtMs: AT_MS });
    // At that very moment it was not set back.
    expect(since(AT_MS, NOW_MS).certainAtMs).toBe(NOW_MS);
  });

  it("begins with its second, on either clock", () => {
    const at = (ms: number, date: string | null) => sinceOnTheirClock(AT_MS + ms, date, NOW_MS);
    expect(at(999, null)).toEqual({ certainAtMs: AT_MS, possibleAtMs: AT_MS });
    expect(at(999, dateOf(NOW_MS + HOUR))).toEqual({ certainAtMs: AT_MS + HOUR, possibleAtMs: AT_MS });
  });

  it("is never later for the seconds that a date leaves out", () => {
    expect(sinceOnTheirClock(AT_MS + 250, dateOf(NOW_MS), NOW_MS + 999).certainAtMs).toBe(AT_MS - 1_000);
  });
});
