import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { copyOf, patch } from "./copy.ts";
import { NAMED, type Named } from "./removals.ts";

const run = promisify(execFile);
/** Some are found by a test that waits in vain for what no longer happens. */
const TESTS_MS_MAX = 600_000;

/** Takes each of them out, one at a time, and runs the test that has to notice. */
export async function runNamed(root: string, only: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "lull-named-"));
  const missed: Named[] = [];
  try {
    for (const [n, named] of NAMED.filter(({ protection }) => protection.includes(only)).entries()) {
      const whole = await passes(copyOf(root, join(folder, `${n}-whole`)), named);
      if (!whole) throw new Error(`${named.tests.join(", ")} fails with every protection in place`);
      const copy = copyOf(root, join(folder, `${n}`));
      patch(copy, named);
      const isFound = !(await passes(copy, named));
      console.log(`${isFound ? "found " : "MISSED"}  ${named.protection}  (${named.tests.join(", ")})`);
      if (!isFound) missed.push(named);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${missed.length === 0 ? "all" : "not all"} found`);
  return missed.length === 0 ? 0 : 1;
}

async function passes(copy: string, { tests, title, aws }: Named): Promise<boolean> {
  const args = ["node_modules/vitest/vitest.mjs", "run", ...tests, ...(title ? ["-t", title] : [])];
  const env = { ...process.env, ...(aws && { LULL_TEST_AWS: "1" }) };
  try {
    const { stdout } = await run(process.execPath, args, { cwd: copy, env, timeout: TESTS_MS_MAX });
    // A title that no test has any more is skipped by all, and that would look like a pass.
    const ran = /^(\d+) passed, \d+ failed/m.exec(stdout)?.[1];
    if (!Number(ran)) throw new Error(`no test of ${tests.join(", ")} is called "${title ?? ""}"`);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 1) return false;
    throw error;
  }
}
