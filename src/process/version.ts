import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the package is; the same two steps up from the sources and from the build. */
export function packageFolder(): string {
  return fileURLToPath(new URL("../..", import.meta.url));
}

/** As the package says. */
export function version(): string {
  const manifest = readFileSync(join(packageFolder(), "package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
