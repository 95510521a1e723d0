import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { namedBlocksOf } from "../doc-pages.ts";
import { emptyProject } from "./empty-project.ts";

const folder = emptyProject();
for (const { file, code } of namedBlocksOf("docs/write-a-channel.md"))
  writeFileSync(join(folder, file), code);

// The page's own test file: its cases become those of this one.
await import(join(folder, "pigeon.test.ts"));
