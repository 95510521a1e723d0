import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const PROBE = "dist/cli/main.js";
/** What the build is made from. */
const SOURCES = ["src", "tools/build", "package.json", "tsconfig.json", "tsconfig.build.json"];

/**
 * Whether a source was written since the build was made. Where there is no build the sources run as they are,
 * and none is needed.
 */
export function isStale(root: string): boolean {
  const built = statSync(join(root, PROBE), { throwIfNoEntry: false });
  return built !== undefined && SOURCES.some((name) => isNewer(join(root, name), built.mtimeMs));
}

/** A folder's own time tells of files that were removed. */
function isNewer(path: string, atMs: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return false;
  if (found.mtimeMs > atMs) return true;
  return found.isDirectory() && readdirSync(path).some((name) => isNewer(join(path, name), atMs));
}
