import { expect, test } from "vitest";
import { vagueComments, vagueNames, vaguePhrases } from "./comments.ts";

test.each([
  "// Nobody reads it.",
  "const x = 1; // for whoever asks",
  "/** Somebody's mistake. */",
  "/**\n * A worker, which no\n * one has seen.\n */",
])("%j does not say who", (source) => {
  expect(vagueComments(source)).toHaveLength(1);
});

test.each([
  '"is anybody there?"',
  "// A worker reads it.",
  "const isSomebody = true;",
  'fetch("https://anyone.test")',
])("%j says so, or is no comment", (source) => {
  expect(vagueComments(source)).toEqual([]);
});

test("a name says who, and a text may say what it likes", () => {
  expect(vagueNames("const isSomebody = nobodyIs(here);")).toEqual(["isSomebody", "nobodyIs"]);
  expect(vagueNames('say("nobody"); // nobody\nconst isKnown = `somebody`;')).toEqual([]);
});

test("a page says who", () => {
  expect(vaguePhrases("| mark | what\nsomebody does |\n| a worker |")).toEqual(["somebody does |"]);
});
