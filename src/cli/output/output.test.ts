import { describe, expect, test } from "vitest";
import { harmless } from "./harmless.ts";
import { progress } from "./progress.ts";
import { oneLine, table } from "./table.ts";
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

test("columns are aligned, also beside emoji and right-to-left text", () => {
  expect(
    table(
      ["id", "text", "when"],
      [
        ["1", "👋", "now"],
        ["22", "שלום", "in 3 s"],
      ],
    ),
  ).toBe(["ID  TEXT  WHEN", "1   👋     now", "22  שלום  in 3 s"].join("\n"));
});

test("a text is cut to one line, and control characters cannot move the cursor", () => {
  expect(oneLine("a\n\tb\u001b[2Jc", 10)).toBe("a b [2Jc");
  expect(oneLine("abcdef", 4)).toBe("abc…");
});

test("what a terminal would obey is written out, and JSON stays the JSON that it was", () => {
  const nasty = "\u001b[2J\u009b31m\u0007\u007f\u202egnp.exe\u2066 \r\u0000";
  const shown = harmless(`a\tb\n${nasty}`);
  expect(shown).toBe("a\tb\n\\u001b[2J\\u009b31m\\u0007\\u007f\\u202egnp.exe\\u2066 \\u000d\\u0000");
  expect(JSON.parse(harmless(JSON.stringify({ nasty })))).toEqual({ nasty });
  expect(harmless("שלום 👋 e\u0301")).toBe("שלום 👋 e\u0301");
});

describe("progress", () => {
  function shownBy(tty: boolean, steps: readonly (readonly [number, string])[]): string {
    let nowMs = 0;
    const shown: string[] = [];
    const io = {
      env: {},
      cwd: "/",
      stderrIsTty: tty,
      nowMs: () => nowMs,
      out: () => {},
      err: (text: string) => void shown.push(text),
    };
    const bar = progress(io);
    for (const [atMs, text] of steps) {
      nowMs = atMs;
      bar.update(text);
    }
    bar.end();
    return shown.join("");
  }

  test("says nothing about what is over within a second", () => {
    expect(
      shownBy(true, [
        [10, "1 %"],
        [900, "99 %"],
      ]),
    ).toBe("");
  });

  test("redraws its line on a terminal and clears it at the end", () => {
    expect(
      shownBy(true, [
        [1_100, "10 %"],
        [1_200, "20 %"],
      ]),
    ).toBe("\r\u001b[K10 %\r\u001b[K20 %\r\u001b[K");
  });

  test("prints a line now and then elsewhere", () => {
    expect(
      shownBy(false, [
        [1_100, "1 %"],
        [2_000, "2 %"],
        [6_200, "6 %"],
      ]),
    ).toBe("1 %\n6 %\n");
  });
});
