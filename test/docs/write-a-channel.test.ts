import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { namedBlocksOf } from "../doc-pages.ts";
import { ROOT } from "../staged-package.ts";

const folder = mkdtempSync(join(tmpdir(), "lull-write-a-channel-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
for (const { file, code } of namedBlocksOf("docs/write-a-channel.md"))
  writeFileSync(join(folder, file), code);

// The page's own test file: its cases become those of this one.
await import(join(folder, "pigeon.test.ts"));
