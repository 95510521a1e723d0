import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { ROOT } from "../staged-package.ts";

/** A folder as a reader's project is, which goes when the tests of the file are over. */
export function emptyProject(): string {
  const folder = mkdtempSync(join(tmpdir(), "lull-docs-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}
