import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkEnvironmentFile } from "../src/cli/doctor/environment-file.ts";
import { ENVIRONMENT_FILE_BYTES_MAX } from "../src/cli/environment-file.ts";
import { LullProcess } from "./lull-process.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "lull-env-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

async function seconds(env: Record<string, string> = {}): Promise<unknown> {
  return (await shown(env)).seconds;
}

/** What counts, and what a person is told beside it. */
async function shown(env: Record<string, string> = {}): Promise<{ seconds: unknown; said: string }> {
  const config = new LullProcess(["config", "--json"], { cwd, env });
  const { code } = await config.gone();
  expect(code, config.stderr).toBe(0);
  const { values } = JSON.parse(config.stdout) as { values: Record<string, { value: unknown }> };
  return { seconds: values["window.seconds"]?.value, said: config.stderr };
}

test("`.env` of the folder counts for every command, and what is set already counts over it", async () => {
  await writeFile(join(cwd, ".env"), '# how long\nexport LULL_WINDOW_SECONDS="7" # a comment\nLULL_DB=\n');
  expect(await seconds()).toBe(7);
  expect(await seconds({ LULL_WINDOW_SECONDS: "3" })).toBe(3);
});

test("a variable that is set to nothing gives way to `.env`", async () => {
  await writeFile(join(cwd, ".env"), "LULL_WINDOW_SECONDS=7\n");
  expect(await seconds({ LULL_WINDOW_SECONDS: "" })).toBe(7);
  expect(await seconds({ LULL_WINDOW_SECONDS: " " })).toBe(7);
});

test("a folder of that name is none", async () => {
  await mkdir(join(cwd, ".env"));
  expect(await seconds()).toBe(10);
  expect(checkEnvironmentFile(cwd, {})).toEqual([]);
});

const NO_FILE = "is no regular file: it is passed over";

test.each(["lull.env", ".env"])("the doctor does not wait for a pipe of the name %s", async (name) => {
  execFileSync("mkfifo", [join(cwd, name)]);
  expect(checkEnvironmentFile(cwd, {})).toEqual([
    { check: "environment", verdict: "warn", detail: `${join(cwd, name)} ${NO_FILE}` },
  ]);
});

test("a pipe, a device and a link to one are told in one line, and not waited for", async () => {
  const path = join(cwd, ".env");
  execFileSync("mkfifo", [path]);
  expect(await shown()).toEqual({ seconds: 10, said: `lull: .env ${NO_FILE}\n` });
  await rm(path);
  await symlink("/dev/zero", path);
  expect(await shown()).toEqual({ seconds: 10, said: `lull: .env ${NO_FILE}\n` });
});

test("a mark at the start hides no variable, nor do the line ends of Windows", async () => {
  await writeFile(join(cwd, ".env"), "\uFEFFLULL_WINDOW_SECONDS=7\r\n\r\nLULL_WEB=1\r\n");
  expect(await shown()).toEqual({ seconds: 7, said: "" });
});

test.each([
  ["UTF-16", Buffer.from("\uFEFFLULL_WINDOW_SECONDS=7\n", "utf16le"), "is UTF-16"],
  ["UTF-16, the other way round", Buffer.from("\uFEFFLULL_WEB=1\n", "utf16le").swap16(), "is UTF-16"],
  ["UTF-16 without a mark", Buffer.from("LULL_WINDOW_SECONDS=7\n", "utf16le"), "has NUL bytes"],
])("%s is told and passed over", async (_, content, what) => {
  await writeFile(join(cwd, ".env"), content);
  const told = `${what}, and has to be UTF-8: it is passed over`;
  expect(await shown()).toEqual({ seconds: 10, said: `lull: .env ${told}\n` });
  expect(checkEnvironmentFile(cwd, {})).toMatchObject([{ detail: `${join(cwd, ".env")} ${told}` }]);
});

test("a line that is no assignment is told by its number, and never with what stands there", async () => {
  const lines = ["; ours", 'KEY="of', 'several lines"', "PORT 9111", "LULL_API_TOKEN: s3cret=", "EMPTY= "];
  await writeFile(join(cwd, ".env"), [...lines, "=s3cret", "LULL_WINDOW_SECONDS=7", ""].join("\n"));
  const told = "lines 4, 5, 7 are no NAME=value: they are passed over";
  expect(await shown()).toEqual({ seconds: 7, said: `lull: .env ${told}\n` });
  const env = { KEY: "of\nseveral lines", LULL_WINDOW_SECONDS: "7" };
  expect(checkEnvironmentFile(cwd, env)).toMatchObject([{ detail: `${join(cwd, ".env")} ${told}` }]);
  await writeFile(join(cwd, ".env"), "LULL_WINDOW_SECONDS: 3\n");
  const one = "line 1 is no NAME=value: it is passed over";
  expect(await shown()).toEqual({ seconds: 10, said: `lull: .env ${one}\n` });
});

test("of many lines that are no assignment the first are named", async () => {
  await writeFile(join(cwd, ".env"), "s3cret\n".repeat(7));
  const told = "lines 1, 2, 3, 4, 5 and 2 more are no NAME=value: they are passed over";
  expect(await shown()).toEqual({ seconds: 10, said: `lull: .env ${told}\n` });
});

test("a link to a file is read as the file", async () => {
  await writeFile(join(cwd, "shared.env"), "LULL_WINDOW_SECONDS=7\n");
  await symlink("shared.env", join(cwd, ".env"));
  expect(await shown()).toEqual({ seconds: 7, said: "" });
});

test("one of 1 MB is read, and a byte more is told and passed over", async () => {
  const line = "LULL_WINDOW_SECONDS=7\n";
  const most = `${line}#`.padEnd(ENVIRONMENT_FILE_BYTES_MAX, "-");
  await writeFile(join(cwd, ".env"), most);
  expect(await shown()).toEqual({ seconds: 7, said: "" });
  await writeFile(join(cwd, ".env"), `${most}-`);
  const detail = "is larger than 1 MB: it is passed over";
  expect(await shown()).toEqual({ seconds: 10, said: `lull: .env ${detail}\n` });
  expect(checkEnvironmentFile(cwd, {})).toMatchObject([{ detail: `${join(cwd, ".env")} ${detail}` }]);
});

test("the workers of `lull start` have it as well", async () => {
  await writeFile(join(cwd, ".env"), "PORT=0\nLULL_WEB=1\nLULL_WORKERS=2\n");
  const service = new LullProcess(["start"], { cwd });
  try {
    const url = await service.url();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  } finally {
    service.kill("SIGTERM");
    expect(await service.gone()).toMatchObject({ code: 0 });
  }
});

const LATE = "too late for Node: that is passed over. Set it where lull is started";

test("what Node reads at its own start is told and passed over, unless it is set already", async () => {
  const file = "NODE_EXTRA_CA_CERTS=/nowhere\nNODE_ENV=production\nNODE_OPTIONS=--garbage\n";
  await writeFile(join(cwd, ".env"), file);
  const both = `sets NODE_EXTRA_CA_CERTS, NODE_OPTIONS ${LATE}`;
  expect((await shown()).said).toBe(`lull: .env ${both}\n`);
  const one = `sets NODE_EXTRA_CA_CERTS ${LATE}`;
  expect((await shown({ NODE_OPTIONS: "--no-deprecation" })).said).toBe(`lull: .env ${one}\n`);
  const env = { NODE_ENV: "production" };
  expect(checkEnvironmentFile(cwd, env)).toMatchObject([{ detail: `${join(cwd, ".env")} ${both}` }]);
});

test("what Node reads at its start is taken neither by the parent nor by its workers", async () => {
  await writeFile(join(cwd, ".env"), "NODE_OPTIONS=--garbage\nPORT=0\nLULL_WEB=1\nLULL_WORKERS=2\n");
  const service = new LullProcess(["start"], { cwd });
  try {
    await service.url();
  } finally {
    service.kill("SIGTERM");
    expect(await service.gone()).toMatchObject({ code: 0 });
  }
  expect(service.stderr.split(LATE)).toHaveLength(2);
});

test("what is passed over is said once, however many workers there are", async () => {
  execFileSync("mkfifo", [join(cwd, ".env")]);
  const service = new LullProcess(["start"], { cwd, env: { PORT: "0", LULL_WEB: "1", LULL_WORKERS: "2" } });
  try {
    await service.url();
  } finally {
    service.kill("SIGTERM");
    expect(await service.gone()).toMatchObject({ code: 0 });
  }
  expect(service.stderr.split(NO_FILE)).toHaveLength(2);
});

test.runIf(process.getuid?.() === 0)(
  "one that this user may not read is told by the doctor, and no error",
  async () => {
    const { chmod } = await import("node:fs/promises");
    await chmod(cwd, 0o755);
    await writeFile(join(cwd, ".env"), "LULL_WINDOW_SECONDS=7\n", { mode: 0o600 });
    const doctor = new LullProcess(["doctor", "--offline", "--json"], {
      cwd,
      uid: 65_534,
      env: { HOME: cwd },
    });
    await doctor.gone();
    expect(doctor.stdout).toContain("this command may not read it");
    expect(doctor.stdout).not.toContain('"check": "configuration",\n      "verdict": "fail"');
  },
);
