import { constants } from "node:os";
import { expect, test } from "vitest";
import { exitCodeOf } from "../../src/cli/report-error.ts";
import { ConfigError, InvalidRequest, StoreUnavailable } from "../../src/errors.ts";
import { pageNamed } from "../doc-pages.ts";
import { errorCodes } from "./error-codes.ts";

const { text } = pageNamed("docs/codes.md");
const told = new Set([...text.matchAll(/`([A-Z]+(?:_[A-Z]+)*)`/g)].map(([, code = ""]) => code));

test("docs/codes.md has every code of the sources", () => {
  const codes = errorCodes();
  expect(codes.length).toBeGreaterThan(50);
  expect(codes).toEqual(expect.arrayContaining(["STALE_TURN", "OPENAI_QUOTA", "UNAUTHORIZED"]));
  expect(codes.filter((code) => !told.has(code))).toEqual([]);
});

test("docs/codes.md has no code that no source has", () => {
  const codes = new Set(errorCodes());
  const words = ["SIGTERM", "SIGHUP", "SIGKILL", "CODE"];
  expect([...told].filter((code) => !codes.has(code) && !words.includes(code))).toEqual([]);
});

test("docs/codes.md names the class of each error that has one, with its code", () => {
  for (const error of [new ConfigError("x"), new InvalidRequest("x"), new StoreUnavailable("x")])
    expect(text).toContain(`| \`${error.name}\` | \`${error.code}\` |`);
});

test("docs/codes.md has the exit codes that commands end with", () => {
  const ends = [new ConfigError("x"), new InvalidRequest("x"), new StoreUnavailable("x"), new Error("x")];
  expect(ends.map(exitCodeOf)).toEqual([2, 2, 1, 1]);
  const { SIGINT, SIGTERM, SIGHUP, SIGKILL } = constants.signals;
  expect(text).toContain(`| ${128 + SIGINT}, ${128 + SIGTERM}, ${128 + SIGHUP} |`);
  expect(text).toContain(`| ${128 + SIGKILL} (\`SIGKILL\`)`);
});
