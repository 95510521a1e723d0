import { expect, test } from "vitest";
import { LINE_LENGTH_MAX, LINES_MAX, longFunctions, longLines } from "./lengths.ts";

test.each([
  ["function x(): void {", "}"],
  ["export async function x(\n  y: string,\n): Promise<void> {", "}"],
  ["  const x = async (y: string) => {", "  };"],
  ["    it.each([1])(`x %d`, () => {", "    });"],
  ["  async #x(y: string): Promise<Record<string, number>> {", "  }"],
])("a function that begins with %j and has 61 lines is found", (begin, end) => {
  const lines = (n: number) =>
    [begin, ...Array.from({ length: n - 2 }, () => "        go();"), end].join("\n");
  expect(longFunctions(lines(LINES_MAX + 1 + begin.split("\n").length - 1))).toHaveLength(1);
  expect(longFunctions(lines(LINES_MAX))).toEqual([]);
});

test("a line of 111 characters is found", () => {
  expect(longLines(`short\n${"x".repeat(LINE_LENGTH_MAX + 1)}\nshort`)).toEqual([2]);
  expect(longLines("x".repeat(LINE_LENGTH_MAX))).toEqual([]);
});
