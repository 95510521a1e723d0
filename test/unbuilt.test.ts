import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { freshClone } from "./fresh-clone.ts";
import { LullProcess } from "./lull-process.ts";
import { ROOT } from "./staged-package.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-unbuilt-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function said(main: string, args: readonly string[], cwd = folder, env = {}) {
  const lull = new LullProcess(args, { cwd, main, env });
  const { code } = await lull.gone();
  return { code, stdout: lull.stdout, stderr: lull.stderr };
}

test("in a clone that nobody has built, lull runs, and says what a file needs that imports it", async () => {
  const clone = join(folder, "clone");
  await freshClone(clone);
  const main = join(clone, manifest.bin.lull);
  const version = { code: 0, stdout: `${manifest.version}\n`, stderr: "" };
  expect(await said(main, ["--version"], clone)).toEqual(version);
  await writeFile(
    join(clone, "lull.config.ts"),
    'import { defineConfig } from "lull";\nexport default {};\n',
  );
  expect(await said(main, ["config"], clone)).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "lull: lull.config.ts could not be loaded: it imports lull, which is not built in this clone. " +
      "Run: npm run build\n",
  });
});

test("a package without its build, as npm makes it of a git dependency, says so", async () => {
  const installed = join(folder, "node_modules/lull");
  for (const name of ["package.json", "bin"])
    await cp(join(ROOT, name), join(installed, name), { recursive: true });
  expect(await said(join(installed, manifest.bin.lull), ["dev"])).toEqual({
    code: 1,
    stdout: "",
    stderr: "lull is not built here. In a clone of its repository, npm pack makes the file to install.\n",
  });
});

test("on a Node that is too old, lull says in one line which it needs and how to get it", async () => {
  const older = join(folder, "older.cjs");
  await writeFile(older, 'Object.defineProperty(process.versions, "node", { value: "20.20.2" });');
  const env = { NODE_OPTIONS: `--require ${older}` };
  const { code, stderr } = await said(join(ROOT, manifest.bin.lull), ["dev"], folder, env);
  // The code that the unit for systemd does not start again after.
  expect(code).toBe(78);
  const unit = await readFile(join(ROOT, "deploy/lull.service"), "utf8");
  expect(unit).toContain(`\nRestartPreventExitStatus=${code}\n`);
  expect(stderr).toBe(
    `lull needs Node ${manifest.engines.node.slice(2)} or newer; this is Node 20.20.2. Install a newer one ` +
      "(https://nodejs.org), or one for this folder alone: npm install node@24\n",
  );
});
