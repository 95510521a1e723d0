import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const CHILD = fileURLToPath(new URL("memory-child.ts", import.meta.url));
/** Less than an entry in a map: finds what is kept per request, and ignores what is warmed up once. */
const BYTES_PER_REQUEST_MAX = 100;

test("bad requests leave nothing behind in memory", async () => {
  const { stdout } = await run(process.execPath, ["--expose-gc", CHILD]);
  const { before, after, requests } = JSON.parse(stdout) as Record<string, number>;
  expect(requests).toBeGreaterThan(10_000);
  expect(after! - before!).toBeLessThan(requests! * BYTES_PER_REQUEST_MAX);
});
