import { join } from "node:path";
import type * as engine from "../../src/engines/sqlite/index.ts";
import type * as lull from "../../src/index.ts";
import { ROOT } from "../../test/staged-package.ts";

type Built = typeof lull & typeof engine;

/** The built package, as its users have it. By its path: from this folder its name is not found. */
export async function builtLull(): Promise<Built> {
  const files = ["dist/index.js", "dist/engines/sqlite/index.js"];
  const [main, sqlite] = await Promise.all(files.map((file) => import(join(ROOT, file))));
  return { ...main, ...sqlite } as Built;
}
