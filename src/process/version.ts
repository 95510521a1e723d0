import { readFileSync } from "node:fs";

/** As the package says; the same two steps up from the sources and from the build. */
export function version(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
