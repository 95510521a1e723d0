import { expect, it } from "vitest";
import { isToBeNoted, knownSinceMs, type Memories } from "./memory.ts";

const HOUR = 3_600_000;
const WEEK = { dedupeMs: 168 * HOUR };
const memories = (...noted: [keptMs: number, lastAtMs: number][]): Memories => new Map(noted);

it("ids are known for as long as they are kept, if it was never less", () => {
  expect(knownSinceMs(memories(), WEEK, 1_000 * HOUR)).toBe(832 * HOUR);
  expect(knownSinceMs(memories([168 * HOUR, 1_000 * HOUR]), WEEK, 1_000 * HOUR)).toBe(832 * HOUR);
});

it("what was learnt while they were kept for less counts until it is far back", () => {
  const raised = memories([24 * HOUR, 1_000 * HOUR]);
  expect(knownSinceMs(raised, WEEK, 1_000 * HOUR)).toBe(976 * HOUR);
  expect(knownSinceMs(raised, WEEK, 1_012 * HOUR)).toBe(988 * HOUR);
  const [earliest, latest] = [1_000 * HOUR, 1_000 * HOUR + 600_000];
  expect(knownSinceMs(raised, WEEK, 1_100 * HOUR)).toBeGreaterThanOrEqual(earliest);
  expect(knownSinceMs(raised, WEEK, 1_100 * HOUR)).toBeLessThanOrEqual(latest);
  expect(knownSinceMs(raised, WEEK, 1_200 * HOUR)).toBe(1_032 * HOUR);
});

it("a memory that was longer before changes nothing", () => {
  expect(knownSinceMs(memories([500 * HOUR, 1_000 * HOUR]), WEEK, 1_000 * HOUR)).toBe(832 * HOUR);
});

it("is noted when it is new, and every five minutes, also after the clock was set back", () => {
  const noted = memories([168 * HOUR, 1_000 * HOUR]);
  expect(isToBeNoted(memories(), WEEK, 0)).toBe(true);
  expect(isToBeNoted(noted, WEEK, 1_000 * HOUR + 299_999)).toBe(false);
  expect(isToBeNoted(noted, WEEK, 1_000 * HOUR + 300_000)).toBe(true);
  expect(isToBeNoted(noted, WEEK, 999 * HOUR)).toBe(true);
  expect(isToBeNoted(noted, { dedupeMs: 1 }, 1_000 * HOUR)).toBe(true);
});
