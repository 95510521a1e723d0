import { describe, expect, it } from "vitest";
import { settingsWith } from "../core/defaults.ts";
import { senderLimit, senderLimits } from "./sender-limit.ts";

it("lets everything pass when there is no limit", () => {
  const limit = senderLimit(0);
  expect(Array.from({ length: 1_000 }, () => limit.allows(["ana"], 0)).every(Boolean)).toBe(true);
});

it("refills over a minute, never beyond the limit, and goes by sender", () => {
  const limit = senderLimit(2);
  expect([limit.allows(["ana"], 0), limit.allows(["ana"], 0), limit.allows(["ana"], 0)]).toEqual([
    true,
    true,
    false,
  ]);
  expect(limit.allows(["ben"], 0)).toBe(true);
  expect(limit.allows(["ana"], 30_000)).toBe(true);
  expect(limit.allows(["ana"], 30_000)).toBe(false);
  const hours = 3_600_000;
  expect([limit.allows(["ana"], hours), limit.allows(["ana"], hours), limit.allows(["ana"], hours)]).toEqual([
    true,
    true,
    false,
  ]);
});

it("remembers a bounded number of senders: who wrote longest ago goes first", () => {
  const limit = senderLimit(1);
  expect(limit.allows(["first"], 0)).toBe(true);
  expect(limit.allows(["first"], 0)).toBe(false);
  for (let n = 0; n < 100_000; n += 1) limit.allows([`sender-${n}`], 0);
  expect(limit.allows(["first"], 0)).toBe(true);
});

it("takes a payload whole or not at all, and one that was refused costs nothing", () => {
  const limit = senderLimit(3);
  expect(limit.allows(["ana", "ana"], 0)).toBe(true);
  for (let n = 0; n < 10; n += 1) expect(limit.allows(["ben", "ana", "ana"], 0)).toBe(false);
  expect(limit.allows(["ben", "ben", "ben"], 0)).toBe(true);
  expect(limit.allows(["ana", "ana"], 19_999)).toBe(false);
  expect(limit.allows(["ana", "ana"], 20_000)).toBe(true);
});

it("takes a payload of more than a minute's worth once a minute was free; it is paid off after that", () => {
  const limit = senderLimit(2);
  expect(limit.allows(["ana"], 0)).toBe(true);
  const five = Array.from({ length: 5 }, () => "ana");
  expect(limit.allows(five, 29_999)).toBe(false);
  expect(limit.allows(five, 30_000)).toBe(true);
  // Three more than there were: a minute and a half, and half a minute for the next one.
  expect(limit.allows(["ana"], 149_999)).toBe(false);
  expect(limit.allows(["ana"], 150_000)).toBe(true);
});

it("forgets who was let in longest ago, not who wrote first", () => {
  const limit = senderLimit(2);
  limit.allows(["ana"], 0);
  for (let n = 1; n < 100_000; n += 1) limit.allows([`sender-${n}`], 0);
  expect(limit.allows(["ana"], 0)).toBe(true);
  limit.allows(["one more"], 0);
  expect(limit.allows(["ana"], 0)).toBe(false);
});

describe("whose limit counts", () => {
  const messages = (sender: string, n: number) => Array.from({ length: n }, () => sender);
  const page = { hasVisitors: true };
  const provider = {};

  it("visitors have their own, and senders of a provider none, where there is none for all", () => {
    const limitFor = senderLimits(settingsWith({ visitorPerMinuteMax: 2 }));
    expect(limitFor("page", page).allows(messages("ana", 2), 0)).toBe(true);
    expect(limitFor("page", page).allows(["ana"], 0)).toBe(false);
    expect(limitFor("provider", provider).allows(messages("ana", 1_000), 0)).toBe(true);
    expect(limitFor("provider", provider).allows(["ana"], 0)).toBe(true);
  });

  it.each([0, 1, 9])("one for all is for visitors, too, whether theirs is %d", (visitorPerMinuteMax) => {
    const limitFor = senderLimits(settingsWith({ senderPerMinuteMax: 3, visitorPerMinuteMax }));
    for (const channel of [page, provider]) {
      expect(limitFor("any", channel).allows(messages("ana", 3), 0)).toBe(true);
      expect(limitFor("any", channel).allows(["ana"], 0)).toBe(false);
    }
  });
});
