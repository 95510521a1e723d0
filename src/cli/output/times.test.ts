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
  ["1w", NOW - 7 * 86_400_000],
  ["2026-11-15T11:00Z", NOW - 3_600_000],
  ["2026-11-15T12:30:00.5+01:30", NOW - 3_600_000 + 500],
  ["2026-11-15", NOW - 12 * 3_600_000],
  // `Date.parse` reads these as years of the last century, or of this one.
  ["10", undefined],
  ["2", undefined],
  ["90", undefined],
  ["2026", undefined],
  ["Nov 15", undefined],
  ["15.11.2026", undefined],
  ["2026-13-01", undefined],
  ["2026-02-31", undefined],
  ["-2h", undefined],
  ["soon", undefined],
  ["2x", undefined],
])("since %s", (text, atMs) => {
  expect(parseSince(text, NOW)).toBe(atMs);
});
