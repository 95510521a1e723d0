import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { ROOT, run } from "./staged-package.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-image-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The names that a pattern of `COPY` stands for. */
async function named(pattern: string): Promise<string[]> {
  if (!pattern.startsWith("*.")) return [pattern];
  return (await readdir(ROOT)).filter((name) => name.endsWith(pattern.slice(1)));
}

/** What Docker would do up to there, with what is installed here in place of `npm ci`. */
test("what the Dockerfile copies is enough to build and to pack all of the package", async () => {
  const file = await readFile(join(ROOT, "Dockerfile"), "utf8");
  const [, stage = ""] = /^FROM .* AS build\n([\s\S]*?)^ARG AWS$/m.exec(file) ?? [];
  const app = join(folder, "app");
  await mkdir(app);
  await symlink(join(ROOT, "node_modules"), join(app, "node_modules"));
  const runs: string[] = [];
  for (const [, instruction, rest = ""] of stage.matchAll(/^(COPY|RUN) (.*)$/gm)) {
    if (instruction === "RUN") {
      runs.push(rest);
      continue;
    }
    const words = rest.split(" ");
    const to = words.pop() ?? "";
    for (const name of (await Promise.all(words.map(named))).flat())
      await cp(join(ROOT, name), join(app, to.endsWith("/") ? join(to, basename(name)) : to), {
        recursive: true,
      });
  }
  const [install, pack = ""] = runs;
  expect(install).toMatch(/^npm ci --ignore-scripts /);
  expect(runs).toHaveLength(2);
  await run("sh", ["-ec", pack.replace(" /lull.tgz", ` ${folder}/lull.tgz`)], app);
  const listed = (await run("tar", ["-tzf", join(folder, "lull.tgz")], folder)).split("\n");
  for (const name of manifest.files)
    expect(
      listed.filter((path) => path.startsWith(`package/${name}`)),
      name,
    ).not.toEqual([]);
  expect(listed).toContain("package/dist/cli/main.js");
});
