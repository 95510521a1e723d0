import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Removal } from "../simulation/protections.ts";

const PARTS = [
  "src",
  "web",
  "test",
  "tools",
  "bench",
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
  // What the bench installs for itself is no part of the project.
  const filter = (path: string) => path !== join(root, "bench/node_modules");
  for (const part of PARTS) cpSync(join(root, part), join(copy, part), { recursive: true, filter });
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
