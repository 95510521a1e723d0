import { basename } from "node:path";
import { AWS_PACKAGES } from "./aws-files.ts";
import type { Choices } from "./choices.ts";
import type { LullSource } from "./lull-source.ts";
import type { Manifest, Names } from "./manifest.ts";
import type { Place } from "./place.ts";
import type { Runner } from "./test-file.ts";

export function runnerOf(manifest: Manifest | undefined): Runner {
  const all = { ...manifest?.dependencies, ...manifest?.devDependencies };
  return "vitest" in all ? "vitest" : "node";
}

export interface Merged {
  readonly manifest: Manifest;
  /** What runs the tests. */
  readonly testCommand: string;
  /** The packages that it names and did not name before. */
  readonly added: readonly string[];
}

interface MergeRequest {
  readonly place: Place;
  readonly choices: Choices;
  readonly source: LullSource;
  /** Lull's own: which versions it goes with. */
  readonly lull: Manifest;
}

/** What npm writes where nothing is tested yet. */
const NO_TEST = /no test specified/;
const TEST = { node: "node --test", vitest: "vitest run" } as const;
const ONE_TEST = { node: "node --test lull.test.ts", vitest: "npx vitest run lull.test.ts" } as const;

/** What is there stays; what is missing is added. */
export function merged({ place, choices, source, lull }: MergeRequest): Merged {
  const { found, folder } = place;
  const runner = runnerOf(found);
  const old = found?.scripts?.test;
  const isOwnTest = old !== undefined && !NO_TEST.test(old);
  const scripts = { ...found?.scripts, ...(!isOwnTest && { test: TEST[runner] }) };
  const aws = choices.engine === "aws" ? AWS_PACKAGES : { dependencies: [], devDependencies: [] };
  // The files name Node's types; a tsconfig.json of one's own comes with a compiler.
  const types = ["@types/node", ...(place.names.includes("tsconfig.json") ? [] : ["typescript"])];
  const missing = (names: readonly string[]) => ranges(lull, names.filter(isMissingIn(found)));
  const news = { ...named(source), ...missing(aws.dependencies) };
  const devNews = missing([...aws.devDependencies, ...types]);
  const dependencies = { ...news, ...found?.dependencies };
  const devDependencies = { ...devNews, ...found?.devDependencies };
  return {
    testCommand: isOwnTest && old !== TEST[runner] ? ONE_TEST[runner] : "npm test",
    added: Object.keys({ ...news, ...devNews }),
    manifest: {
      ...(found ?? { name: nameOf(folder), private: true, type: "module" }),
      scripts,
      ...(Object.keys(dependencies).length > 0 && { dependencies }),
      ...(Object.keys(devDependencies).length > 0 && { devDependencies }),
    },
  };
}

function named(source: LullSource): Names {
  if (source.kind === "file") return { lull: `file:${source.name}` };
  return source.kind === "named" && source.spec !== undefined ? { lull: source.spec } : {};
}

function isMissingIn(found: Manifest | undefined): (name: string) => boolean {
  const there = { ...found?.dependencies, ...found?.devDependencies };
  return (name) => !(name in there);
}

/** Those that Lull asks for, or is made with. */
function ranges(lull: Manifest, names: readonly string[]): Names {
  return Object.fromEntries(
    names.map((name) => [name, lull.peerDependencies?.[name] ?? `^${lull.devDependencies?.[name]}`]),
  );
}

/** As npm allows it. */
export function nameOf(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "");
  // No package may depend on its own name.
  return name === "" || name === "lull" ? "chat" : name;
}

/** For editors, and for `npx tsc`: Node runs the files as they are. */
export const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2024",
    "module": "nodenext",
    "strict": true,
    "noEmit": true,
    "allowImportingTsExtensions": true,
    "erasableSyntaxOnly": true,
    "verbatimModuleSyntax": true,
    "skipLibCheck": true,
    "types": ["node"]
  },
  "include": ["*.ts", "aws/*.ts"]
}
`;
