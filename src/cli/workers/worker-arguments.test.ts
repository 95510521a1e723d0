import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { NEW_SPACE_MB, workerArguments } from "./worker-arguments.ts";

const ours = `--max-semi-space-size=${NEW_SPACE_MB}`;

test("a worker's space for new objects is limited, beside what the parent was started with", () => {
  expect(workerArguments([])).toEqual([ours]);
  expect(workerArguments(["--enable-source-maps"], "--max-old-space-size=500")).toEqual([
    "--enable-source-maps",
    ours,
  ]);
});

test.each([
  "--max-semi-space-size=32",
  "--max_semi_space_size=32",
  "--max-semi_space-size=32",
  "-max-semi-space-size=32",
  "--min-semi-space-size=32",
  "--min_semi_space_size=32",
])("an operator's own limit counts: %s", (chosen) => {
  expect(workerArguments([], `--enable-source-maps ${chosen}`)).toEqual([]);
  expect(workerArguments([chosen])).toEqual([chosen]);
});

describe("NODE_OPTIONS is read as Node reads it:", () => {
  /** What V8 was told. */
  const limitOf = (options: string) => {
    const env = { ...process.env, NODE_OPTIONS: options };
    const told = execFileSync(process.execPath, ["--print-flag-values", "--eval", ""], { env });
    return /--max-semi-space-size=(\d+)/.exec(told.toString())?.[1];
  };

  test.each([
    '"--max-semi-space-size=32"',
    '--max-semi-space-size="32"',
    '--"max-semi-space-size"=32',
    String.raw`"--max-semi\-space-size=32"`,
    '--title="with spaces" "--max-semi-space-size=32"',
    String.raw`--title="a \"quote" --max-semi-space-size=32`,
  ])("%s is a limit", (options) => {
    expect(limitOf(options)).toBe("32");
    expect(workerArguments([], options)).toEqual([]);
  });

  test.each([
    '--title="a --max-semi-space-size=32"',
    "'--max-semi-space-size=32'",
    "--title=--max-semi-space-size=32",
    "\t--max-semi-space-size=32",
  ])("%s is none", (options) => {
    expect(limitOf(options)).toBe("0");
    expect(workerArguments([], options)).toEqual([ours]);
  });
});
