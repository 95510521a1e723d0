import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fakeTwilio } from "../../src/testing/fake-twilio.ts";
import { type Block, blocksOf, fileNameOf } from "../doc-pages.ts";
import { freePort } from "../free-port.ts";
import { eventually, LullProcess } from "../lull-process.ts";
import { type PackedProject, packedProject } from "../packed-project.ts";
import { cleanEnvironment, ROOT, run } from "../staged-package.ts";

const execute = promisify(execFile);

type Shown = Block & { readonly page: string };

const shown = blocksOf("ts");
const isTest = ({ code }: Shown) => code.includes('from "vitest"');
/** They come to an end by themselves, and need neither a provider nor a port that may be taken. */
const ends = (block: Shown) => !isTest(block) && /\bexplore\(|port: 0\b/.test(block.code);
const listens = ({ code }: Shown) => /\bserve\(lull, \{ port: 8080 \}|\.listen\(3000\)/.test(code);
/** A stack bundles what it deploys; `test/cdk` and `test/aws` make some. */
const isStack = ({ code }: Shown) => code.includes("lull/cdk");
const isModule = (block: Shown) => ![isTest, ends, listens, isStack, callsTwilio].some((is) => is(block));
const callsTwilio = ({ code }: Shown) => code.includes("createConversation({");

const named = (blocks: readonly Shown[]) =>
  blocks.map((block) => [`${block.page}:${block.line}`, block] as const);

let project: PackedProject;
/** In place of one that may be taken here. */
let port: number;
/** Each page's blocks are in a folder of its own: those with a name import each other. */
const pathOf = (block: Shown) => {
  const ending = isTest(block) ? "test.ts" : "ts";
  const name = fileNameOf(block) ?? `line-${block.line}.${ending}`;
  return join(project.folder, block.page.replaceAll(/\W/g, "-"), name);
};

beforeAll(async () => {
  [project, port] = await Promise.all([packedProject(), freePort()]);
  await project.add("vitest", "@types", "@aws-sdk", "@aws-lambda-powertools", "aws-cdk-lib", "constructs");
  await project.add("express");
  for (const block of shown) {
    await mkdir(join(pathOf(block), ".."), { recursive: true });
    // A thousand schedules are for who looks for something; a few show that the program is right.
    const code = block.code
      .replace("schedules: 1_000", "schedules: 20")
      .replace("port: 8080", `port: ${port}`)
      .replace("listen(3000)", `listen(${port})`);
    await writeFile(pathOf(block), code);
  }
}, 60_000);

afterAll(() => project.remove());

/** An engine's contract is among them: hundreds of cases, each on a file of its own. */
const CONTRACT_MS = 300_000;

const environment = (more: Readonly<Record<string, string>> = {}) => ({ ...cleanEnvironment(), ...more });

describe("in a project that has installed the package,", () => {
  test("code that the pages show compiles as it stands", async () => {
    const config = {
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: { moduleDetection: "force", paths: {}, typeRoots: ["node_modules/@types"] },
      include: ["*/*.ts"],
    };
    await writeFile(join(project.folder, "tsconfig.json"), JSON.stringify(config));
    expect(await run("tsc", ["-p", "tsconfig.json"], project.folder)).toBe("");
  });

  test(
    "tests that they show pass",
    async () => {
      const files = shown.filter(isTest).map(pathOf);
      expect(files.length).toBeGreaterThanOrEqual(5);
      const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
      const report = join(project.folder, "report.json");
      const settings = { reporter: "json", outputFile: report, testTimeout: "90000" };
      const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
      const args = [vitest, "run", "--root", project.folder, "--reporter=default", ...flags, ...files];
      const options = { cwd: project.folder, env: environment() };
      await execute(process.execPath, args, options).catch((error) =>
        expect.fail(`${error.stdout}\n${error.stderr}`),
      );
      const { numPassedTests, testResults } = JSON.parse(await readFile(report, "utf8"));
      expect(numPassedTests).toBeGreaterThan(files.length);
      expect(testResults).toHaveLength(files.length);
    },
    CONTRACT_MS,
  );

  test.each(named(shown.filter(ends)))("the program of %s runs to its end", async (_, block) => {
    await run("node", [pathOf(block)], project.folder);
  });

  test.each(named(shown.filter(listens)))("the program of %s listens, and ends", async (_, block) => {
    const env = { TWILIO_ACCOUNT_SID: "AC00000000000000000000000000000001", TWILIO_AUTH_TOKEN: "a-token" };
    const program = new LullProcess([], { cwd: project.folder, main: pathOf(block), env });
    const prefix = block.code.includes('.use("/lull"') ? "/lull" : "";
    try {
      await eventually(
        "its health",
        async () => (await fetch(`http://127.0.0.1:${port}${prefix}/healthz`)).ok || undefined,
      );
      program.kill("SIGTERM");
      const { code, signal } = await program.gone();
      expect(code === 0 || signal === "SIGTERM").toBe(true);
    } finally {
      program.kill("SIGKILL");
      await program.gone();
    }
  });

  test.each(named(shown.filter(callsTwilio)))("the program of %s does what it says", async (_, block) => {
    const own = { accountSid: "AC00000000000000000000000000000001", authToken: "a-token-of-twilio" };
    const twilio = fakeTwilio(own);
    await twilio.start();
    const cwd = await mkdtemp(join(project.folder, "run-"));
    try {
      const env = environment({
        TWILIO_ACCOUNT_SID: own.accountSid,
        TWILIO_AUTH_TOKEN: own.authToken,
        TWILIO_API_URL: twilio.url,
      });
      const { stderr } = await execute(process.execPath, [pathOf(block)], { cwd, env });
      expect(stderr).toBe("");
      const main = join(project.installed, "bin/lull.js");
      const list = await run("node", [main, "conversations", "--json"], cwd);
      expect(JSON.parse(list).items).toMatchObject([{ sender: "+15550123", attributes: { order: 7 } }]);
    } finally {
      await twilio.stop();
    }
  });

  test("all other code can be loaded", async () => {
    const files = shown.filter(isModule).map(pathOf);
    expect(files.length).toBeGreaterThan(15);
    const script = `for (const file of ${JSON.stringify(files)}) await import(file);`;
    await writeFile(join(project.folder, "load.mjs"), script);
    await run("node", ["load.mjs"], project.folder);
  });
});
