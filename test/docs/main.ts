import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../staged-package.ts";
import { openSources } from "./compiler.ts";
import { WRITTEN, WRITTEN_SOURCES } from "./written.ts";

/** `npm run docs`: writes anew what pages and sources take over from the sources. */
for (const [file, write] of Object.entries(WRITTEN_SOURCES)) writeFileSync(join(ROOT, file), write());
using sources = openSources();
for (const [page, write] of Object.entries(WRITTEN)) {
  const path = join(ROOT, page);
  writeFileSync(path, write(existsSync(path) ? readFileSync(path, "utf8") : "", sources));
}
