import { cp, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { linkPackages } from "./packed-project.ts";
import { ROOT } from "./staged-package.ts";

/** What git does not keep, of what may lie in a folder of the repository. */
const NOT_CLONED = /^(\.git|node_modules|dist|coverage|data|cdk\.out|.*\.(tgz|log))$/;

/**
 * The repository as `git clone` and `npm install` leave it: without a build. What a registry would give is
 * linked.
 */
export async function freshClone(folder: string): Promise<void> {
  for (const name of await readdir(ROOT)) {
    if (NOT_CLONED.test(name)) continue;
    const filter = (path: string) => !NOT_CLONED.test(basename(path));
    await cp(join(ROOT, name), join(folder, name), { recursive: true, filter });
  }
  const installed = await readdir(join(ROOT, "node_modules"));
  await linkPackages(
    folder,
    installed.filter((name) => name !== ".cache"),
  );
}
