import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { treeOf, usageOf } from "./process-tree.ts";

test.runIf(existsSync("/proc/self/stat"))(
  "a process counts with all that it started: their time and their memory",
  async () => {
    const own = "console.log('there'); process.stdin.resume()";
    const parent = `const { spawn } = require("node:child_process");
      spawn(process.execPath, ["-e", ${JSON.stringify(own)}], { stdio: "inherit" });`;
    const child = spawn(process.execPath, ["-e", parent], { stdio: ["pipe", "pipe", "inherit"] });
    await once(child.stdout, "data");
    const tree = treeOf(child.pid!);
    expect(tree).toHaveLength(2);
    const [whole, grandchild] = [usageOf(child.pid!), usageOf(tree[1]!)];
    expect(grandchild.rssBytes).toBeGreaterThan(10_000_000);
    expect(whole.rssBytes).toBeGreaterThan(grandchild.rssBytes);
    expect(whole.cpuMs).toBeGreaterThan(0);
    child.stdin.end();
    await once(child, "close");
    expect(usageOf(child.pid!)).toEqual({ cpuMs: 0, rssBytes: 0 });
  },
);
