import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { buildOf } from "./stale-build.ts";

const ROOT = join(import.meta.dirname, "../..");
const WHY = {
  missing: "There is no build yet: it is made, which takes a few seconds.",
  stale: "The sources are newer than the build in dist: it is made anew.",
};

/** `npm start` runs the build, as the examples do: installing makes none. */
const build = buildOf(ROOT);
if (build !== "fresh") {
  console.error(WHY[build]);
  const { status } = spawnSync("npm", ["run", "--silent", "build"], { cwd: ROOT, stdio: "inherit" });
  process.exitCode = status ?? 1;
}
