import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "../test/staged-package.ts";

const HERE = join(ROOT, "bench");
const BUILT = join(HERE, "node_modules/.built");
const building = new Map<string, Promise<string>>();

/**
 * A peer as plain JavaScript in one file, as Lull is measured built: types that Node takes out while it
 * starts would cost the peer time and 30 MB. It stands where it finds its packages.
 */
export function builtPeer(name: string): Promise<string> {
  const known = building.get(name) ?? buildPeer(name);
  building.set(name, known);
  return known;
}

async function buildPeer(name: string): Promise<string> {
  const { outputFiles } = await build({
    ...{ entryPoints: [join(HERE, `peers/${name}.ts`)], bundle: true, write: false, logLevel: "silent" },
    ...{ platform: "node", format: "esm", target: "node22", packages: "external" },
  });
  const file = join(BUILT, `${name}.mjs`);
  // A test and a bench may do this at once: neither starts the half of a file.
  const part = `${file}.${process.pid}`;
  await mkdir(BUILT, { recursive: true });
  await writeFile(part, outputFiles[0]?.contents ?? "");
  await rename(part, file);
  return file;
}
