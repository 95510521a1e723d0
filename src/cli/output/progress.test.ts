import { describe, expect, test } from "vitest";
import { progress } from "./progress.ts";

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
      logLine: (line: string) => void shown.push(line),
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
