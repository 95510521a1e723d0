import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../staged-package.ts";
import { openSources } from "./compiler.ts";
import { WRITTEN } from "./written.ts";

/** `npm run docs`: writes anew what pages take over from the sources. */
using sources = openSources();
for (const [page, write] of Object.entries(WRITTEN)) {
  const path = join(ROOT, page);
  writeFileSync(path, write(existsSync(path) ? readFileSync(path, "utf8") : "", sources));
}
