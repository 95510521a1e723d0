import { describe, expect, it } from "vitest";
import { DEFAULTS, RETRY_AFTER_MS_MAX } from "./defaults.ts";
import { backoffByAgeMs, backoffMs, decideFailure, type Failure, type Tried } from "./retry.ts";

const least = () => 0;
const middle = () => 0.5;
const most = () => 1;

describe("the backoff", () => {
  it("doubles with every attempt", () => {
    const waits = [1, 2, 3, 4, 5, 6].map((attempt) => backoffMs(attempt, DEFAULTS, middle));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000]);
  });

  it("is give or take half", () => {
    expect([backoffMs(1, DEFAULTS, least), backoffMs(1, DEFAULTS, most)]).toEqual([500, 1_500]);
    expect([backoffMs(3, DEFAULTS, least), backoffMs(3, DEFAULTS, most)]).toEqual([2_000, 6_000]);
  });

  it("of an outage is as long again as it has been going on", () => {
    const waits = [0, 999, 1_001, 2_000, 59_999, 3_600_000].map((age) =>
      backoffByAgeMs(age, DEFAULTS, middle),
    );
    expect(waits).toEqual([1_000, 1_000, 1_001, 2_000, 59_999, 60_000]);
  });

  it("stops growing at its maximum", () => {
    expect(backoffMs(6, DEFAULTS, middle)).toBe(32_000);
    expect(backoffMs(7, DEFAULTS, middle)).toBe(60_000);
    expect(backoffMs(1_000, DEFAULTS, middle)).toBe(60_000);
  });
});

const NOW = 5_000_000;
const outage: Failure = { kind: "outage" };

function decide(failure: Failure, tried: Partial<Tried> = {}) {
  return decideFailure(failure, { counted: 1, ...tried }, NOW, DEFAULTS, middle);
}

describe("a try that failed", () => {
  it("for an unclassified reason is tried again up to the last attempt, then dead-lettered", () => {
    const failed = (counted: number) => decide({ kind: "unclassified" }, { counted });
    expect(failed(1)).toEqual({ kind: "retry", afterMs: 1_000 });
    expect(failed(DEFAULTS.attemptsMax - 1)).toEqual({ kind: "retry", afterMs: 8_000 });
    expect(failed(DEFAULTS.attemptsMax)).toEqual({ kind: "dead-letter" });
    expect(failed(DEFAULTS.attemptsMax + 1)).toEqual({ kind: "dead-letter" });
  });

  it("is dead-lettered at once if no second try can succeed", () => {
    expect(decide({ kind: "permanent" })).toEqual({ kind: "dead-letter" });
  });

  it("in an outage is tried again however often, until the outage has lasted too long", () => {
    const aged = (ageMs: number, outages = DEFAULTS.attemptsMax - 1) =>
      decide(outage, { counted: 99, outages, failingSinceAtMs: NOW - ageMs });
    expect(decide(outage, { counted: 99 })).toEqual({ kind: "retry", afterMs: 1_000, outageSinceAtMs: NOW });
    expect(aged(40_000)).toEqual({ kind: "retry", afterMs: 40_000, outageSinceAtMs: NOW - 40_000 });
    expect(aged(DEFAULTS.retryForMs - 1)).toMatchObject({ kind: "retry", afterMs: 60_000 });
    expect(aged(DEFAULTS.retryForMs)).toEqual({ kind: "dead-letter" });
    // While it was paused, stopped, or its clock leapt, no try was made.
    expect(aged(DEFAULTS.retryForMs, DEFAULTS.attemptsMax - 2)).toMatchObject({ kind: "retry" });
  });

  it("in an outage after its answer was there begins to count anew: what failed before that is over", () => {
    const failingSinceAtMs = NOW - DEFAULTS.retryForMs;
    const tried = { failingSinceAtMs, draftedAtMs: failingSinceAtMs + 1 };
    expect(decide(outage, tried)).toEqual({ kind: "retry", afterMs: 1_000, outageSinceAtMs: NOW });
    expect(decide(outage, { outages: 9, failingSinceAtMs, draftedAtMs: failingSinceAtMs })).toEqual({
      kind: "dead-letter",
    });
  });

  it("at a time that lies ahead, since the clock was set back, begins to count anew", () => {
    expect(decide(outage, { failingSinceAtMs: NOW + 1 })).toMatchObject({ outageSinceAtMs: NOW });
  });

  it("waits as long as the error says, not as long as we would", () => {
    const told = (retryAfterMs: number) => decide({ kind: "outage", retryAfterMs });
    expect(told(1)).toMatchObject({ kind: "retry", afterMs: 500 });
    expect(told(500)).toMatchObject({ kind: "retry", afterMs: 500 });
    expect(told(501)).toMatchObject({ kind: "retry", afterMs: 501 });
    expect(told(600_000)).toMatchObject({ kind: "retry", afterMs: 600_000 });
  });

  it("waits a time that will come, whatever the error says", () => {
    const told = (retryAfterMs: number) => decide({ kind: "outage", retryAfterMs });
    expect(told(RETRY_AFTER_MS_MAX)).toMatchObject({ kind: "retry", afterMs: RETRY_AFTER_MS_MAX });
    expect(told(RETRY_AFTER_MS_MAX + 1)).toMatchObject({ kind: "retry", afterMs: RETRY_AFTER_MS_MAX });
    // "Now", or a date in the past, again and again: then our own growing pause counts.
    expect(told(0)).toMatchObject({ kind: "retry", afterMs: 1_000 });
    expect(told(Number.NaN)).toMatchObject({ kind: "retry", afterMs: 1_000 });
    expect(told(-1)).toMatchObject({ kind: "retry", afterMs: 1_000 });
  });
});
