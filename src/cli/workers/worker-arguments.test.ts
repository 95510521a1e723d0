import { expect, test } from "vitest";
import { NEW_SPACE_MB, workerArguments } from "./worker-arguments.ts";

const ours = `--max-semi-space-size=${NEW_SPACE_MB}`;

test("a worker's space for new objects is limited, beside what the parent was started with", () => {
  expect(workerArguments([])).toEqual([ours]);
  expect(workerArguments(["--enable-source-maps"], "--max-old-space-size=500")).toEqual([
    "--enable-source-maps",
    ours,
  ]);
});

test.each(["--max-semi-space-size=32", "--max-semi-space-size 32", "--max_semi_space_size=32"])(
  "an operator's own limit counts: %s",
  (chosen) => {
    expect(workerArguments([], `--enable-source-maps ${chosen}`)).toEqual([]);
    expect(workerArguments(chosen.split(" "))).toEqual(chosen.split(" "));
  },
);
