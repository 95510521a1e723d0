import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const PROBE = "dist/cli/main.js";
/** What the build is made from. */
const SOURCES = ["src", "tools/build", "package.json", "tsconfig.json", "tsconfig.build.json"];

export type Build = "fresh" | "stale" | "missing";

/** Whether a source was written since the build was made. */
export function buildOf(root: string): Build {
  const built = statSync(join(root, PROBE), { throwIfNoEntry: false });
  if (built === undefined) return "missing";
  return SOURCES.some((name) => isNewer(join(root, name), built.mtimeMs)) ? "stale" : "fresh";
}

/** A folder's own time tells of files that were removed. */
function isNewer(path: string, atMs: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return false;
  if (found.mtimeMs > atMs) return true;
  return found.isDirectory() && readdirSync(path).some((name) => isNewer(join(path, name), atMs));
}
