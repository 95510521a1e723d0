import { afterEach, expect, it } from "vitest";
import { warnings } from "./warnings.ts";

const { error } = console;
afterEach(() => {
  console.error = error;
});

it("a program without a log of its own sees what went wrong, and nothing else", () => {
  const lines: unknown[] = [];
  console.error = (line: unknown) => void lines.push(line);
  for (const level of ["debug", "info", "warn", "error"] as const) warnings(level, "happened", { n: 1 });
  warnings("error", "alone");
  expect(lines.map((line) => JSON.parse(String(line)))).toEqual([
    { level: "warn", event: "happened", n: 1 },
    { level: "error", event: "happened", n: 1 },
    { level: "error", event: "alone" },
  ]);
});
