import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Today's size and a little more, so that growth is a decision: it is read at every cold start. */
export const BUNDLE_BYTES_MAX = 1_112_000;

export interface Bundle {
  readonly file: string;
  readonly bytes: number;
  readonly zippedBytes: number;
  /** Every module of Node that is imported from somewhere. */
  readonly builtins: ReadonlySet<string>;
  /** Every source that left something in it, from the root of the repository. */
  readonly sources: readonly string[];
}

/** The functions in one file, as the construct bundles them: from its own entry, or from a user's. */
export async function bundleFunctions(outfile: string, entry = "src/lambda/environment.ts"): Promise<Bundle> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    minify: true,
    metafile: true,
    write: false,
    banner: {
      js:
        "import{createRequire as lullCreateRequire}from'node:module';" +
        "const require=lullCreateRequire(import.meta.url);" +
        "const __filename=import.meta.filename,__dirname=import.meta.dirname;",
    },
  });
  const { contents, path } = outputFiles[0]!;
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const output = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint !== undefined)!;
  await writeFile(path, contents);
  return {
    file: path,
    bytes: contents.length,
    zippedBytes: gzipSync(contents).length,
    builtins: new Set(imports.filter(({ external }) => external).map((each) => each.path)),
    sources: Object.entries(output.inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([source]) => source),
  };
}
