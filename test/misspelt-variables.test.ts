import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { LullProcess } from "./lull-process.ts";

const SENTENCE = "LULL_WINDOW_SECOND is not a known variable. Did you mean LULL_WINDOW_SECONDS?";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-misspelt-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = (...args: string[]) =>
  new LullProcess(args, { cwd: folder, env: { PORT: "0", LULL_WEB: "1", LULL_WINDOW_SECOND: "5" } });

it("the doctor warns of a variable that was misspelt", async () => {
  const doctor = run("doctor", "--offline");
  await doctor.gone();
  expect(doctor.stdout).toContain(`warn  environment: ${SENTENCE}\n`);
});

it("so does the list of what is in force, and a trial", async () => {
  const config = run("config");
  await config.gone();
  expect(config.stderr).toBe(`${SENTENCE}\n`);
  const dev = run("dev");
  await dev.url();
  dev.child.kill("SIGTERM");
  await dev.gone();
  expect(dev.events.filter(({ event }) => event === "config.misspelt")).toMatchObject([
    { message: SENTENCE },
  ]);
});

it("a service that starts says so once, with however many workers", async () => {
  const service = run("start", "--workers", "2");
  await service.url();
  service.child.kill("SIGTERM");
  await service.gone();
  const told = service.events.filter(({ event }) => event === "config.misspelt");
  expect(told).toMatchObject([{ level: "warn", message: SENTENCE }]);
});
