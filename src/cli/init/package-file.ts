import { basename, relative } from "node:path";
import { AWS_PACKAGES } from "./aws-files.ts";
import type { Choices } from "./choices.ts";
import type { Runner } from "./test-file.ts";

type Names = Record<string, string>;

export interface Manifest {
  name?: string;
  private?: boolean;
  type?: string;
  scripts?: Names;
  dependencies?: Names;
  devDependencies?: Names;
  [other: string]: unknown;
}

export function runnerOf(manifest: Manifest | undefined): Runner {
  const all = { ...manifest?.dependencies, ...manifest?.devDependencies };
  return "vitest" in all ? "vitest" : "node";
}

export interface Merged {
  readonly manifest: Manifest;
  /** What runs the tests. */
  readonly testCommand: string;
}

interface MergeRequest {
  readonly folder: string;
  readonly found: Manifest | undefined;
  readonly choices: Choices;
  /** Where the running lull is installed, and whether the project has it already. */
  readonly lull: { readonly folder: string; readonly isInstalled: boolean };
}

/** What npm writes where nothing is tested yet. */
const NO_TEST = /no test specified/;
const TEST = { node: "node --test", vitest: "vitest run" } as const;

/** What is there stays; what is missing is added. */
export function merged({ folder, found, choices, lull }: MergeRequest): Merged {
  const runner = runnerOf(found);
  const old = found?.scripts?.test;
  const isOwnTest = old !== undefined && !NO_TEST.test(old);
  const scripts = { ...found?.scripts, ...(!isOwnTest && { test: TEST[runner] }) };
  const aws = choices.engine === "aws" ? AWS_PACKAGES : { dependencies: [], devDependencies: [] };
  const dependencies = {
    ...(lull.isInstalled ? {} : { lull: `file:${relative(folder, lull.folder)}` }),
    ...any(aws.dependencies),
    ...found?.dependencies,
  };
  const types = found === undefined ? ["@types/node", "typescript"] : [];
  const devDependencies = { ...any([...aws.devDependencies, ...types]), ...found?.devDependencies };
  return {
    testCommand:
      isOwnTest && old !== TEST[runner] ? `npx ${TEST[runner]}`.replace("npx node", "node") : "npm test",
    manifest: {
      ...(found ?? { name: nameOf(folder), private: true, type: "module" }),
      scripts,
      ...(Object.keys(dependencies).length > 0 && { dependencies }),
      ...(Object.keys(devDependencies).length > 0 && { devDependencies }),
    },
  };
}

const any = (names: readonly string[]): Names => Object.fromEntries(names.map((name) => [name, "*"]));

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
