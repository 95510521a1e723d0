import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { builtFile, builtSource, PAGES } from "./pages.ts";

for (const folder of PAGES) {
  const file = builtFile(folder);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await builtSource(folder));
}
