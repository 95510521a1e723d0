import { execFile } from "node:child_process";
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "vitest";
import type { Removal } from "./protections.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const RUN_MS_MAX = 300_000;

/** A copy of the sources without one protection; production code itself has no switch for it. */
export async function without({ patches }: Pick<Removal, "patches">, copy: string): Promise<string> {
  const isSource = (path: string) =>
    !path.endsWith(".test.ts") && !/\/src\/(cli|http|channels|lambda|cdk)(\/|$)/.test(path);
  await cp(join(ROOT, "src"), join(copy, "src"), { recursive: true, filter: isSource });
  await cp(join(ROOT, "test/aws/simulated"), join(copy, "test/aws/simulated"), {
    recursive: true,
    filter: isSource,
  });
  for (const name of ["days.ts", "forgetful-file.ts", "forgetful-memory.ts"])
    await cp(join(ROOT, "test/simulation", name), join(copy, "test/simulation", name));
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
  await writeFile(join(copy, "package.json"), '{ "type": "module" }');
  for (const { file, find, replace } of patches) {
    const path = join(copy, "src", file);
    const source = await readFile(path, "utf8");
    expect(source, `${file} no longer holds what this test takes out`).toContain(find);
    await writeFile(
      path,
      source.replace(find, () => replace),
    );
  }
  return copy;
}

export interface Bite {
  readonly schedules: number;
  readonly broken: readonly number[];
}

/**
 * Explores in the copy until a promise is broken. `simulation` is an expression that loads how the engine is
 * run.
 */
export async function exploreIn(copy: string, simulation: string, schedulesMax: number): Promise<Bite> {
  const script = `
    const { explore } = await import("./src/testing/simulator/explore.ts");
    const simulation = ${simulation};
    const found = await explore(
      { ...simulation, fromSeed: 1, schedules: ${schedulesMax}, untilBroken: true });
    console.log(JSON.stringify(found));
  `;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], {
    cwd: copy,
    timeout: RUN_MS_MAX,
  });
  return JSON.parse(stdout);
}
