import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import manifest from "../package.json" with { type: "json" };

export const ROOT = fileURLToPath(new URL("../", import.meta.url));

const execute = promisify(execFile);

/**
 * Nothing of the surroundings gets in: neither a developer's keys nor what an outer npm tells its children.
 * The Node that runs the tests comes first, whatever the machine calls `node`.
 */
export function cleanEnvironment(): Record<string, string> {
  const path = [dirname(process.execPath), join(ROOT, "node_modules/.bin"), process.env.PATH].join(delimiter);
  return { PATH: path, HOME: process.env.HOME ?? "" };
}

/** Runs a program to its end and returns what it printed; throws with everything it said when it fails. */
export async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await execute(program, args, { cwd, env: cleanEnvironment(), maxBuffer: 50_000_000 });
    return stdout;
  } catch (error) {
    const { message, stdout } = error as Error & { stdout?: string };
    throw new Error(`${message}\n${stdout ?? ""}`);
  }
}

/** What `npm pack` takes from the repository as it is; the build is made for each. */
const PACKED = ["package.json", "README.md", "LICENSE", ...manifest.files.filter((name) => name !== "dist")];

/** The package as it is published, built into a folder of its own: no other build gets in its way. */
export async function stagePackage(folder: string, ...more: readonly string[]): Promise<void> {
  const dist = join(folder, "dist");
  await run("tsc", ["-p", "tsconfig.build.json", "--emitDeclarationOnly", "--outDir", dist], ROOT);
  await run("node", ["tools/build/bundle.ts", dist], ROOT);
  for (const name of [...PACKED, ...more]) {
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  }
}
