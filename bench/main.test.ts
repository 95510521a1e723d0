import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../test/lull-process.ts";
import { ROOT } from "../test/staged-package.ts";
import { RESULTS_FILE } from "./latest-results.ts";
import { treeOf } from "./process-tree.ts";

const MAIN = join(ROOT, "bench/main.ts");
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lull-interrupted-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function bench(...args: string[]) {
  const env = { ...process.env, TMPDIR: folder };
  return spawn(process.execPath, [MAIN, ...args], { env, stdio: ["ignore", "ignore", "pipe"] });
}

test.each([
  ["--repetitions", "abc"],
  ["--repetitions", "0"],
  ["backlog", "--repetitions", "0"],
  ["--servers", "nobody"],
  ["visitor", "many"],
])("%s %s is refused in a line, and what is published stays", async (...args) => {
  const before = readFileSync(RESULTS_FILE, "utf8");
  const child = bench(...args);
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [code] = await once(child, "close");
  expect([code, said.trim().split("\n").length]).toEqual([2, 1]);
  expect(said).toMatch(/^bench: /);
  expect(readFileSync(RESULTS_FILE, "utf8")).toBe(before);
});

// Elsewhere it is not known what a process has started.
test.runIf(process.platform === "linux").each(["SIGINT", "SIGTERM"] as const)(
  "%s leaves neither a process nor a folder behind, and the exit code names it",
  async (signal) => {
    const child = bench("visitor", "1");
    const gone = once(child, "close");
    const service = await eventually("a worker of the service", async () => {
      const tree = treeOf(child.pid ?? 0);
      return tree.length >= 3 && readdirSync(folder).length > 0 ? tree.slice(1) : undefined;
    });
    child.kill(signal);
    const [code] = await gone;
    expect(code).toBe(128 + constants.signals[signal]);
    expect(readdirSync(folder)).toEqual([]);
    await eventually("the end of the service", async () =>
      service.every((pid) => !isRunning(pid)) ? true : undefined,
    );
  },
);

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
