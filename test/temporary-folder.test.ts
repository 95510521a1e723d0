import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import temporaryFolder from "./temporary-folder.ts";

it("whatever tests leave behind goes with the run", () => {
  const ofThisRun = tmpdir();
  expect(basename(ofThisRun)).toMatch(/^lull-tests-/);
  const end = temporaryFolder();
  const left = mkdtempSync(join(tmpdir(), "lull-left-"));
  writeFileSync(join(left, "lull.db"), "left");
  end();
  expect(existsSync(left)).toBe(false);
  expect(tmpdir()).toBe(ofThisRun);
});
