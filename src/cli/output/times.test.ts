import { expect, test } from "vitest";
import { parseSince, relativeTime } from "./times.ts";

const NOW = Date.UTC(2026, 10, 15, 12);

test.each([
  [NOW, "now"],
  [NOW - 999, "now"],
  [NOW - 1_000, "1 s ago"],
  [NOW + 59_999, "in 59 s"],
  [NOW - 61 * 60_000, "1 h ago"],
  [NOW - 49 * 3_600_000, "2 d ago"],
  [NOW + 180_000, "in 3 min"],
])("%d is told as %s", (atMs, text) => {
  expect(relativeTime(atMs, NOW)).toBe(text);
});

test.each([
  ["2h", NOW - 7_200_000],
  ["30m", NOW - 1_800_000],
  ["90 s", NOW - 90_000],
  ["1.5d", NOW - 129_600_000],
  ["2026-11-15T11:00:00Z", NOW - 3_600_000],
  ["soon", undefined],
  ["2x", undefined],
])("since %s", (text, atMs) => {
  expect(parseSince(text, NOW)).toBe(atMs);
});
