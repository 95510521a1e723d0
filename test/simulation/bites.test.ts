import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REMOVALS, type Removal } from "./protections.ts";

const run = promisify(execFile);
const SOURCES = fileURLToPath(new URL("../../src", import.meta.url));
/** Found within this many schedules, or the check is not worth having. */
const SCHEDULES_MAX = 2_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-bites-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A copy of the sources without one protection; production code itself has no switch for it. */
async function without({ patches }: Removal, name: string): Promise<string> {
  const copy = join(folder, name);
  const isSource = (path: string) =>
    !path.endsWith(".test.ts") && !/\/src\/(cli|http|channels)(\/|$)/.test(path);
  await cp(SOURCES, join(copy, "src"), { recursive: true, filter: isSource });
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

const EXPLORE = `
  const { explore } = await import("./src/testing/simulator/explore.ts");
  const { memory } = await import("./src/engines/memory/index.ts");
  const engine = () => { let n = 0; return memory({ newId: () => "id-" + ++n }); };
  const found = await explore({ engine, fromSeed: 1, schedules: ${SCHEDULES_MAX}, untilBroken: true });
  console.log(JSON.stringify(found));
`;

async function exploreIn(copy: string): Promise<{ schedules: number; broken: number[] }> {
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", EXPLORE], {
    cwd: copy,
    timeout: 120_000,
  });
  return JSON.parse(stdout);
}

describe("without this protection the simulator finds a broken promise", () => {
  it.concurrent.each(REMOVALS.map((removal, n) => ({ ...removal, n })))(
    "$protection",
    async (removal) => {
      const { broken } = await exploreIn(await without(removal, String(removal.n)));
      expect(broken).toHaveLength(1);
    },
    150_000,
  );
});

it("with every protection in place it finds none", async () => {
  const { broken, schedules } = await exploreIn(await without({ protection: "none", patches: [] }, "whole"));
  expect(broken).toEqual([]);
  expect(schedules).toBe(SCHEDULES_MAX);
}, 150_000);
