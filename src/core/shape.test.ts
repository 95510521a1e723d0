import { expect, test } from "vitest";
import { fields, listOf, oneOf, parsed, soundAs, text, time } from "./shape.ts";

test("what is wrong is told without a word of the value", () => {
  const shape = fields({ names: listOf(text), atMs: time });
  expect(soundAs(shape, { names: ["a", { secret: 1 }], atMs: 1 })).toEqual({
    kind: "foreign",
    why: "names[1] is no text",
  });
  expect(soundAs(shape, { names: [], atMs: Number.NaN })).toEqual({
    kind: "foreign",
    why: "atMs is no time",
  });
  expect(parsed('{"secret')).toEqual({ kind: "foreign", why: "it is no JSON" });
  expect(parsed(undefined)).toEqual({ kind: "foreign", why: "it is no text" });
});

test("a word is one of those that are known", () => {
  const role = oneOf("user", "assistant");
  expect(role("assistant")).toBeUndefined();
  for (const other of ["system", "", 7, undefined, ["user"]])
    expect(role(other)).toBe(" is none of the known words");
});
