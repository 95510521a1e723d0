import { expect, test } from "vitest";
import { chosenFrom, timesIn, UsageError } from "./arguments.ts";

test("a number of repetitions is a whole one from 1 on: none would replace what is published", () => {
  expect([timesIn("x", undefined, 3), timesIn("x", "5", 3)]).toEqual([3, 5]);
  for (const wrong of ["abc", "0", "-1", "1.5", "", "1e3", "99999"])
    expect(() => timesIn("--repetitions", wrong, 3)).toThrow(UsageError);
});

test("what there is not is refused with what there is", () => {
  expect(chosenFrom(["a", "b", "c"], "c,a")).toEqual(["a", "c"]);
  expect(chosenFrom(["a", "b"], undefined)).toEqual(["a", "b"]);
  expect(() => chosenFrom(["a", "b"], "a,x")).toThrow('there is no "x": a, b');
});
