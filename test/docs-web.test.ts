import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { LullProcess } from "./lull-process.ts";

const PAGE = readFileSync(fileURLToPath(new URL("../docs/web.md", import.meta.url)), "utf8");
const SECRET = "visitors-prove-with-this";
const execute = promisify(execFile);

let folder = "";
let service: LullProcess;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-docs-web-"));
});

afterEach(async () => {
  service.kill("SIGKILL");
  await service.gone();
  await rm(folder, { recursive: true, force: true });
});

const [UNSIGNED = "", SIGNED = ""] = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code]) => code);

it.each([
  ["to a trial", UNSIGNED, {}],
  ["to a public service", SIGNED, { LULL_WEB_SECRET: SECRET, LULL_PUBLIC_URL: "https://bot.example.com" }],
])("what the page about the web channel prints is carried out, %s", async (_, code, env) => {
  service = new LullProcess(["start"], {
    cwd: folder,
    env: { PORT: "0", LULL_WEB: "1", LULL_WINDOW_SECONDS: "600", ...env },
  });
  const url = await service.url();
  const here = code.replaceAll(/http:\/\/127\.0\.0\.1:8080|https:\/\/bot\.example\.com/g, url);
  expect(here).not.toBe(code);
  const { stdout } = await execute(
    "sh",
    ["-ec", here.replaceAll("curl ", "curl --fail --silent --show-error ")],
    {
      env: { PATH: process.env.PATH, ...env },
    },
  );
  expect(stdout).toContain('"ok":true');
  expect(stdout).toContain("are you open?");
});
