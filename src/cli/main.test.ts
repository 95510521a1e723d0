import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** What is loaded with a source before it does anything: types and what is loaded on demand are not. */
async function loadedWith(source: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [source],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outdir: "nowhere",
  });
  const found = [source];
  for (const each of found)
    for (const { path, kind, external } of metafile.inputs[each]?.imports ?? [])
      if (kind === "import-statement" && !external && !found.includes(path)) found.push(path);
  return found;
}

test("the parent of workers loads no configuration, no engine and no API: it stays small", async () => {
  const loaded = await loadedWith("src/cli/main.ts");
  const heavy = /^src\/(config|engines|http|channels|responders|secrets|wire|index\.ts)/;
  expect(loaded.filter((path) => heavy.test(path))).toEqual([]);
  expect(loaded.filter((path) => path.startsWith("src/runtime/"))).toEqual([
    "src/runtime/system-clock.ts",
    "src/runtime/log-privacy.ts",
  ]);
  expect(loaded.length).toBeLessThanOrEqual(37);
});
