import { expect, test } from "vitest";
import { cut, hourAndMinute, plural, seconds, timeOfDay } from "./wording.ts";

test("one is one, and everything else is many", () => {
  expect([0, 1, 2].map((count) => plural(count, "message"))).toEqual([
    "0 messages",
    "1 message",
    "2 messages",
  ]);
});

test("tenths of a second are said where they matter", () => {
  const said = [-5, 0, 500, 1_000, 1_030, 1_500, 9_960, 12_400].map(seconds);
  expect(said).toEqual(["0 s", "0 s", "0.5 s", "1 s", "1 s", "1.5 s", "10.0 s", "12 s"]);
});

test("a text that is too long ends in dots, and is no longer than allowed", () => {
  expect([cut("hello", 5), cut("hello", 4)]).toEqual(["hello", "hel…"]);
});

test("times are of the machine's own zone", () => {
  const atMs = new Date(2026, 0, 15, 9, 5, 7).getTime();
  expect(hourAndMinute(atMs)).toMatch(/^09.05/);
  // One format: only the seconds differ.
  expect(timeOfDay(atMs).replace(/.07/, "")).toBe(hourAndMinute(atMs));
});
