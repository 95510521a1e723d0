import { describe, expect, it } from "vitest";
import { DEFAULTS, RETRY_AFTER_MS_MAX } from "./defaults.ts";
import { backoffMs, decideFailure } from "./retry.ts";

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

  it("stops growing at its maximum", () => {
    expect(backoffMs(6, DEFAULTS, middle)).toBe(32_000);
    expect(backoffMs(7, DEFAULTS, middle)).toBe(60_000);
    expect(backoffMs(1_000, DEFAULTS, middle)).toBe(60_000);
  });
});

describe("a failed attempt", () => {
  it("is tried again up to the last one, then buried", () => {
    const decide = (attempt: number) => decideFailure({ retry: "later" }, attempt, DEFAULTS, middle);
    expect(decide(1)).toEqual({ kind: "retry", afterMs: 1_000 });
    expect(decide(DEFAULTS.attemptsMax - 1)).toEqual({ kind: "retry", afterMs: 8_000 });
    expect(decide(DEFAULTS.attemptsMax)).toEqual({ kind: "bury" });
    expect(decide(DEFAULTS.attemptsMax + 1)).toEqual({ kind: "bury" });
  });

  it("that no second try can mend is buried at once", () => {
    expect(decideFailure({ retry: "never" }, 1, DEFAULTS, middle)).toEqual({ kind: "bury" });
    expect(decideFailure({ retry: "never", retryAfterMs: 5 }, 1, DEFAULTS, middle)).toEqual({ kind: "bury" });
  });

  it("waits as long as somebody told, not as long as we would", () => {
    const told = (retryAfterMs: number) =>
      decideFailure({ retry: "later", retryAfterMs }, 1, DEFAULTS, middle);
    expect(told(0)).toEqual({ kind: "retry", afterMs: 0 });
    expect(told(600_000)).toEqual({ kind: "retry", afterMs: 600_000 });
  });

  it("waits a time that comes, whatever was told", () => {
    const told = (retryAfterMs: number) =>
      decideFailure({ retry: "later", retryAfterMs }, 1, DEFAULTS, middle);
    expect(told(RETRY_AFTER_MS_MAX)).toEqual({ kind: "retry", afterMs: RETRY_AFTER_MS_MAX });
    expect(told(RETRY_AFTER_MS_MAX + 1)).toEqual({ kind: "retry", afterMs: RETRY_AFTER_MS_MAX });
    expect(told(Number.NaN)).toEqual({ kind: "retry", afterMs: 1_000 });
    expect(told(-1)).toEqual({ kind: "retry", afterMs: 1_000 });
  });
});
