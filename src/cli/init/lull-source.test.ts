import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lullSource } from "./lull-source.ts";
import { placeAt } from "./place.ts";

let around: string;
let packageFolder: string;

beforeEach(async () => {
  around = await mkdtemp(join(tmpdir(), "lull-source-"));
  packageFolder = join(around, "outer/node_modules/lull");
  await write("outer/node_modules/lull/package.json", { name: "lull", version: "9.8.7" });
});

afterEach(() => rm(around, { recursive: true, force: true }));

async function write(path: string, content: unknown): Promise<void> {
  await mkdir(dirname(join(around, path)), { recursive: true });
  await writeFile(join(around, path), typeof content === "string" ? content : JSON.stringify(content));
}

const source = async () => lullSource(await placeAt(join(around, "project")), packageFolder);
const outerSays = (lull: string) => write("outer/package.json", { dependencies: { lull } });

test("the file that the project around it was installed from goes along", async () => {
  await outerSays("file:../clone/lull-9.8.7.tgz");
  await write("clone/lull-9.8.7.tgz", "packed");
  expect(await source()).toEqual({ kind: "file", name: "lull-9.8.7.tgz", bytes: Buffer.from("packed") });
});

test.each(["file:../clone/lull-9.8.7.tgz", "file:../clone", "workspace:*"])(
  "where %s leads nowhere or to a folder, what is installed is packed anew",
  async (spec) => {
    await outerSays(spec);
    const found = await source();
    expect(found).toMatchObject({ kind: "file", name: "lull-9.8.7.tgz" });
    if (found.kind === "file") expect([...found.bytes.slice(0, 2)], "as gzip begins").toEqual([0x1f, 0x8b]);
  },
);

test.each(["^9.8.7", "https://packages.example/lull-9.8.7.tgz"])(
  "%s means the same everywhere",
  async (spec) => {
    await outerSays(spec);
    expect(await source()).toEqual({ kind: "named", spec });
  },
);

test("a clone is left to the person to pack", async () => {
  await write("outer/node_modules/lull/src/index.ts", "");
  expect(await source()).toEqual({ kind: "to-pack", folder: packageFolder });
});

test("what the project has or names stays", async () => {
  await write("project/package.json", { dependencies: { lull: "^9.0.0" } });
  expect(await source()).toEqual({ kind: "named", spec: undefined });
  await write("project/node_modules/lull/package.json", {});
  expect(await source()).toEqual({ kind: "installed" });
});
