import { expect, it } from "vitest";
import { textWithin, wrapped } from "./wrapped.ts";

const LONG = "failing   OPENAI_UNAVAILABLE: the model answers that it is not there at present";

it("a line that fits, and one that no terminal shows, stays as it is", () => {
  expect(wrapped(LONG, 10, undefined)).toBe(LONG);
  expect(wrapped(LONG, 10, LONG.length)).toBe(LONG);
});

it("a longer one goes on below its text", () => {
  expect(wrapped(LONG, 10, 40).split("\n")).toEqual([
    "failing   OPENAI_UNAVAILABLE: the model",
    "          answers that it is not there",
    "          at present",
  ]);
});

it("a word that is longer than a line is not broken: it may be a command or an id", () => {
  expect(wrapped(`ok    store: ${"x".repeat(60)} is there`, 6, 40).split("\n")).toEqual([
    "ok    store:",
    `      ${"x".repeat(60)}`,
    "      is there",
  ]);
});

it("in a terminal that is hardly wider than the indent, a line is left to the terminal", () => {
  expect(wrapped(LONG, 10, 25)).toBe(LONG);
});

it("a command at the end of a line is not broken: its first half would run as it is pasted", () => {
  const line = "this cannot be undone: the person goes. To go on: lull conversations erase c_1 --yes";
  expect(wrapped(line, 0, 60).split("\n")).toEqual([
    "this cannot be undone: the person goes. To go on: ".trimEnd(),
    "lull conversations erase c_1 --yes",
  ]);
});

it("of a text each sentence is wrapped for itself, and rows of tables are left as they are", () => {
  const [sentence, indented] = [
    "what follows here is a sentence of some words",
    "  and this one was indented",
  ];
  const text = `${LONG}\n${sentence}\n${indented} a little before`;
  expect(textWithin(text, 40).split("\n")).toEqual([
    LONG,
    "what follows here is a sentence of some",
    "words",
    "  and this one was indented a little",
    "    before",
  ]);
  expect(textWithin(text, undefined)).toBe(text);
});
