import { describe, expect, it } from "vitest";
import { retryAfterMs } from "./retry-after.ts";

const NOW = Date.parse("Sun, 15 Nov 2026 05:00:00 GMT");

describe("Retry-After", () => {
  it("is seconds, whole or not, or a date", () => {
    expect(retryAfterMs("3", NOW)).toBe(3_000);
    expect(retryAfterMs("0.25", NOW)).toBe(250);
    // Never sooner than was asked for.
    expect(retryAfterMs("0.2501", NOW)).toBe(251);
    expect(retryAfterMs("Sun, 15 Nov 2026 05:00:20 GMT", NOW)).toBe(20_000);
  });

  it("never means the past, and never more than an hour unless that is wanted", () => {
    expect(retryAfterMs("Sun, 15 Nov 2026 04:00:00 GMT", NOW)).toBe(0);
    expect(retryAfterMs("86400", NOW)).toBe(3_600_000);
    expect(retryAfterMs("86400", NOW, Number.POSITIVE_INFINITY)).toBe(86_400_000);
  });

  it("says nothing when it is missing, empty, or no time at all", () => {
    expect(retryAfterMs(null, NOW)).toBeUndefined();
    expect(retryAfterMs("  ", NOW)).toBeUndefined();
    expect(retryAfterMs("soon", NOW)).toBeUndefined();
    expect(retryAfterMs("-5", NOW)).toBeUndefined();
    expect(retryAfterMs("Sun, 15 Nov 2026 05:00:20 GMT", Number.NaN)).toBeUndefined();
  });
});
