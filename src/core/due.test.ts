import { describe, expect, it } from "vitest";
import { dueOfMessages, dueOfStaged } from "./due.ts";

const fixed = { kind: "fixed", lengthMs: 10_000 } as const;

describe("what is staged", () => {
  const messages = [{ arrivedAtMs: 1_000 }, { arrivedAtMs: 4_000 }];
  const clock = { nowMs: 5_000, clockSkewMs: 0 };

  it("is due by its window, and not while something backs off", () => {
    expect(dueOfMessages(messages, {}, fixed, clock)).toBe(11_000);
    expect(dueOfMessages(messages, { notBeforeAtMs: 20_000 }, fixed, clock)).toBe(20_000);
    expect(dueOfMessages(messages, { notBeforeAtMs: 10_999 }, fixed, clock)).toBe(11_000);
  });

  it("is due at once where a limit left it behind, unless it came later or backs off", () => {
    expect(dueOfMessages(messages, { leftBehindAtMs: 1_000 }, fixed, clock)).toBe(1_000);
    expect(dueOfMessages(messages, { leftBehindAtMs: 999 }, fixed, clock)).toBe(11_000);
    expect(dueOfMessages(messages, { leftBehindAtMs: 1_000, notBeforeAtMs: 9_000 }, fixed, clock)).toBe(
      9_000,
    );
  });

  it("is due at once where no window could be that long: the clock was set back", () => {
    const at = (nowMs: number, clockSkewMs = 0) => dueOfMessages(messages, {}, fixed, { nowMs, clockSkewMs });
    expect(at(1_000)).toBe(11_000);
    expect(at(999)).toBe(999);
    expect(at(999, 1)).toBe(11_000);
    expect(at(998, 1)).toBe(998);
    const quiet = { kind: "quiet", quietMs: 4_000, maxMs: 20_000 } as const;
    const later = messages.map(({ arrivedAtMs }) => ({ arrivedAtMs: arrivedAtMs + 100_000 }));
    expect(dueOfMessages(later, {}, quiet, { nowMs: 88_000, clockSkewMs: 0 })).toBe(108_000);
    expect(dueOfMessages(later, {}, quiet, { nowMs: 87_999, clockSkewMs: 0 })).toBe(87_999);
    expect(dueOfMessages(messages, { notBeforeAtMs: 5 }, fixed, { nowMs: 0, clockSkewMs: 0 })).toBe(5);
    const never = clock.nowMs + 8 * 24 * 3_600_000 + 1;
    expect(dueOfMessages(messages, { notBeforeAtMs: never }, fixed, clock)).toBe(11_000);
    expect(dueOfMessages(messages, { notBeforeAtMs: never - 1 }, fixed, clock)).toBe(never - 1);
  });
});

it.each([
  ["messages are due by their window", [1_000, 2_000], [], 6_000],
  ["an outbound is due since it was requested", [], [1_500], 1_500],
  ["the earlier of both decides", [1_000], [3_000], 3_000],
])("%s", (_what, messages, outbounds, dueAtMs) => {
  const arrived = (times: readonly number[]) => times.map((arrivedAtMs) => ({ arrivedAtMs }));
  const waiting = { messages: arrived(messages), outbounds: arrived(outbounds) };
  const clock = { nowMs: 2_000, clockSkewMs: 0 };
  expect(dueOfStaged(waiting, {}, { kind: "fixed", lengthMs: 5_000 }, clock)).toBe(dueAtMs);
});
