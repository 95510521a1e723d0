import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { isStale } from "./stale-build.ts";

const ROOT = join(import.meta.dirname, "../..");

/** `npm start` runs the build: one that is older than the sources is made anew. */
if (isStale(ROOT)) {
  console.error("The sources are newer than the build in dist: it is made anew.");
  const { status } = spawnSync("npm", ["run", "--silent", "build"], { cwd: ROOT, stdio: "inherit" });
  process.exitCode = status ?? 1;
}
