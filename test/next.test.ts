import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type FakeTwilio, fakeTwilio } from "../src/testing/fake-twilio.ts";
import { eventually } from "./lull-process.ts";
import { cleanEnvironment, ROOT, run, stagePackage } from "./staged-package.ts";

/** Next and what it brings are 340 MB: installed by this test alone. */
const PACKAGES = ["next@16.4.6", "react@19.3.1", "react-dom@19.3.1"];
const TYPES = ["typescript@5.9.3", "@types/react@19", "@types/node@24"];
const INSTALL_MS = 600_000;

const PATH = "/lull/webhooks/whatsapp";
const CUSTOMER = "whatsapp:+15550123";
const OURS = "whatsapp:+15550100";

let folder: string;
let twilio: FakeTwilio;
let server: ChildProcess | undefined;

beforeAll(async () => {
  twilio = fakeTwilio();
  await twilio.start();
  folder = await mkdtemp(join(tmpdir(), "lull-next-"));
  const staged = join(folder, "staged");
  await stagePackage(staged);
  const packed = await run(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", folder],
    staged,
  );
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  await cp(join(ROOT, "examples/next"), join(folder, "app"), { recursive: true });
  await writeFile(join(folder, "app/package.json"), '{ "name": "an-app", "private": true }');
  const install = ["install", "--no-audit", "--no-fund", ...PACKAGES, ...TYPES, join(folder, filename)];
  // With the environment of who calls: it may say where packages come from.
  await promisify(execFile)("npm", install, { cwd: join(folder, "app") });
}, INSTALL_MS);

afterEach(async () => {
  if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, "exit");
  // What serves is a child of the command: the whole group goes.
  process.kill(-server.pid, "SIGKILL");
  await gone;
});

afterAll(async () => {
  await twilio.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a command of Next until it says where it listens. */
async function next(...args: readonly string[]): Promise<{ url: string; said: () => string }> {
  let output = "";
  const env = {
    ...cleanEnvironment(),
    ...twilio.environment(),
    TWILIO_WHATSAPP_FROM: "+15550100",
    PUBLIC_URL: "https://bot.example.com",
    NEXT_TELEMETRY_DISABLED: "1",
  };
  // Its own file and not `npx`, which would not hand the signal on.
  const main = join(folder, "app/node_modules/next/dist/bin/next");
  server = spawn("node", [main, ...args, "--port", "0", "--hostname", "127.0.0.1"], {
    cwd: join(folder, "app"),
    env,
    detached: true,
  });
  for (const stream of [server.stdout, server.stderr]) stream?.on("data", (chunk) => (output += chunk));
  const url = await eventually("where Next listens", async () => {
    if (server?.exitCode !== null) throw new Error(`Next ended: ${output}`);
    return /Ready in/.test(output) ? /Local:\s+(\S+)/.exec(output)?.[1] : undefined;
  });
  return { url, said: () => output };
}

async function write(url: string, text: string): Promise<number> {
  const webhook = twilio.webhook({ url: `https://bot.example.com${PATH}`, from: CUSTOMER, to: OURS, text });
  return (await fetch(url + PATH, webhook)).status;
}

const bodies = () => twilio.sent.map(({ body }) => body);

describe.skipIf(process.env.LULL_TEST_NEXT === undefined)("examples/next", () => {
  test("answers as it is built and started, without a request that wakes it", {
    timeout: INSTALL_MS,
  }, async () => {
    const main = join(folder, "app/node_modules/next/dist/bin/next");
    await run("node", [main, "build"], join(folder, "app"));
    const { url } = await next("start");
    expect(await write(url, "a table")).toBe(200);
    expect(await write(url, "for two")).toBe(200);
    await twilio.whenSent(1);
    expect(bodies()).toEqual(["heard 2: a table\nfor two"]);
    expect((await fetch(`${url}/lull/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/lull/api/conversations`)).status).toBe(403);
    expect(await (await fetch(url)).text()).toContain("a page of your own");
    server?.kill("SIGTERM");
    await once(server!, "exit");
  });

  test("in development the newest code answers, and no customer twice", { timeout: INSTALL_MS }, async () => {
    const already = bodies().length;
    const { url } = await next("dev");
    expect(await write(url, "before")).toBe(200);
    await twilio.whenSent(already + 1);
    const file = join(folder, "app/lib/lull.ts");
    await writeFile(file, (await readFile(file, "utf8")).replace("`heard ", "`now I heard "));
    // Next takes a moment to see the change; until then the code of before answers, each message once.
    for (let n = 1; !bodies().at(-1)?.startsWith("now I"); n += 1) {
      expect(await write(url, `after ${n}`)).toBe(200);
      await twilio.whenSent(already + 1 + n);
      expect(bodies().slice(already + 1)).toHaveLength(n);
    }
    expect(bodies().at(-1)).toMatch(/^now I heard 1: after \d+$/);
  });
});
