import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import manifest from "../../package.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = process.argv[2] ?? join(ROOT, "dist");

/** What users import, and what runs by its path. */
const DOORS = Object.values(manifest.exports).flatMap((target) =>
  typeof target === "string" ? [] : [target.default.slice("./dist/".length, -".js".length)],
);
const PROGRAM = "cli/main";
const THREADS = [
  "engines/sqlite/store-thread",
  "cli/watching/guard-thread",
  "cli/watching/parent-guard-thread",
];

const entry = (path: string, out = path) => ({ in: join(ROOT, "src", `${path}.ts`), out });

/**
 * A few large files instead of hundreds of small ones: a process that loads them is ready in half the time
 * and holds 25 MB less. What two doors share is in one file that both load, so that there is one copy of it
 * in a process, whichever way it came in.
 */
await build({
  entryPoints: [
    ...[...DOORS, PROGRAM, ...THREADS].map((path) => entry(path)),
    // A thread is started by a path beside the file that starts it: the program's own, or a shared one.
    ...[dirname(PROGRAM), "shared"].flatMap((folder) =>
      THREADS.map((path) => entry(path, `${folder}/${basename(path)}`)),
    ),
  ],
  absWorkingDir: ROOT,
  outdir: FOLDER,
  // One folder deep, as everything that looks for package.json from its own place is in the sources.
  chunkNames: "shared/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: `node${manifest.engines.node.slice(2)}`,
  packages: "external",
  // Names stay readable: they are in the stacks that users see.
  minify: false,
  legalComments: "none",
  logLevel: "warning",
});
