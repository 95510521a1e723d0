import { describe, expect, test } from "vitest";
import { progress } from "./progress.ts";

describe("progress", () => {
  type Step = readonly [atMs: number, text: string | number];

  /** A number is so many of 2,000 customers. */
  function shownBy(tty: boolean, steps: readonly Step[], errColumns?: number): string {
    let nowMs = 0;
    const shown: string[] = [];
    const err = (text: string) => void shown.push(text);
    const bar = progress({ stderrIsTty: tty, errColumns, nowMs: () => nowMs, err });
    for (const [atMs, text] of steps) {
      nowMs = atMs;
      if (typeof text === "string") bar.update(text);
      else bar.step(text, 2_000, "customer");
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

  test("where it is known how much there is, there is a bar, how fast it goes and what is left", () => {
    expect(shownBy(true, [[10_000, 1_000]], 80)).toBe(
      "\r\u001b[K━━━━━━━━━━──────────  50 % 1000 of 2000 customers, 100 a second, 10 s left\r\u001b[K",
    );
  });

  test("elsewhere the same words are a line", () => {
    expect(shownBy(false, [[100_000, 1_500]])).toBe("75 %  1500 of 2000 customers, 15 a second, 33 s left\n");
    expect(shownBy(false, [[10_000, 0]])).toBe("0 %  0 of 2000 customers\n");
    expect(shownBy(false, [[4_000, 2_000]])).toBe("100 %  2000 of 2000 customers, 500 a second\n");
  });

  test("a line stays within its terminal, for one that breaks cannot be redrawn", () => {
    const lines = shownBy(
      true,
      [
        [10_000, 1_000],
        [10_100, "x".repeat(90)],
      ],
      40,
    ).split("\r\u001b[K");
    for (const line of lines) expect([...line].length).toBeLessThan(40);
  });
});
