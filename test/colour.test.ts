import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify, stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const MAIN = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));
const run = promisify(execFile);

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "lull-colour-"));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

async function lull(args: readonly string[], env: Record<string, string>) {
  const { PATH, HOME } = process.env;
  const child = run(process.execPath, [MAIN, ...args], { cwd, env: { PATH, HOME, ...env } });
  return child.catch((failed: { stdout: string; stderr: string }) => failed);
}

test("a pipe gets no colour unless it is asked for, and then the same words", async () => {
  const plain = await lull(["--help"], {});
  const coloured = await lull(["--help"], { FORCE_COLOR: "1" });
  expect(plain.stdout).not.toContain("\u001b");
  expect(coloured.stdout).toContain("\u001b[1mCommands\u001b[0m");
  expect(stripVTControlCharacters(coloured.stdout)).toBe(plain.stdout);
});

test("what somebody wrote has no colour of its own", async () => {
  const busyText = "\u001b[31mall is well\u001b[0m";
  const { stdout } = await lull(["config", "--set"], { FORCE_COLOR: "1", LULL_BUSY_TEXT: busyText });
  expect(stdout).toContain("\u001b[1mSETTING");
  expect(stdout).toContain("\\u001b[31mall is well");
});

test("JSON has none, also where it is forced", async () => {
  const { stdout } = await lull(["config", "--json"], { FORCE_COLOR: "1" });
  expect(stdout).not.toContain("\u001b");
  expect(JSON.parse(stdout)).toHaveProperty("values");
});

test("an error is marked, and names the help of the command that failed", async () => {
  const { stderr } = await lull(["conversations", "show"], { FORCE_COLOR: "1" });
  expect(stderr).toBe(
    "\u001b[31mlull:\u001b[0m conversations show needs <id>\n" +
      "Usage: lull conversations show <id> [options]\nRun `lull conversations show --help` for help.\n",
  );
});
