import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkEnvironmentFile } from "../src/cli/doctor/environment-file.ts";
import { LullProcess } from "./lull-process.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "lull-env-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

async function seconds(env: Record<string, string> = {}): Promise<unknown> {
  const config = new LullProcess(["config", "--json"], { cwd, env });
  const { code } = await config.gone();
  expect(code, config.stderr).toBe(0);
  const { values } = JSON.parse(config.stdout) as { values: Record<string, { value: unknown }> };
  return values["window.seconds"]?.value;
}

test("`.env` of the folder counts for every command, and what is set already counts over it", async () => {
  await writeFile(join(cwd, ".env"), '# how long\nexport LULL_WINDOW_SECONDS="7" # a comment\nLULL_DB=\n');
  expect(await seconds()).toBe(7);
  expect(await seconds({ LULL_WINDOW_SECONDS: "3" })).toBe(3);
});

test("a folder of that name is none", async () => {
  await mkdir(join(cwd, ".env"));
  expect(await seconds()).toBe(10);
  expect(await checkEnvironmentFile(cwd, {})).toEqual([]);
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
