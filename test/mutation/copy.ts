import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Removal } from "../simulation/protections.ts";

const PARTS = [
  "src",
  "web",
  "test",
  "tools",
  "bin",
  "examples",
  "docs",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "vitest.config.ts",
];

/** The project once more, with the same dependencies: what is changed there runs only there. */
export function copyOf(root: string, copy: string): string {
  mkdirSync(copy, { recursive: true });
  for (const part of PARTS) cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

export function patch(copy: string, { patches }: Pick<Removal, "patches">): void {
  for (const { file, find, replace } of patches) {
    const path = join(copy, "src", file);
    const source = readFileSync(path, "utf8");
    if (!source.includes(find)) throw new Error(`${file} no longer holds ${find}`);
    writeFileSync(
      path,
      source.replace(find, () => replace),
    );
  }
}
