import { chmod, copyFile, mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openConnection } from "../../src/engines/sqlite/connection.ts";
import { eventually, LullProcess, type LullProcessOptions } from "../lull-process.ts";

const ENDINGS = ["", "-wal", "-shm"];
/** Root may write everything: the test needs another user who may not. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534 } : {};

let cwd = "";
let file = "";
const started = new Set<LullProcess>();

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "lull-service-"));
  file = join(cwd, "lull.db");
});

afterEach(async () => {
  for (const each of started) each.kill("SIGKILL");
  await Promise.all([...started].map((each) => each.gone()));
  started.clear();
  await rm(cwd, { recursive: true, force: true });
});

function lull(args: readonly string[], options: Partial<LullProcessOptions> = {}): LullProcess {
  const env = { PORT: "0", LULL_WEB: "1", LULL_WINDOW_SECONDS: "0.1", LULL_DB: file };
  const process = new LullProcess(args, { cwd, ...options, env: { ...env, ...options.env } });
  started.add(process);
  return process;
}

async function ask(...args: string[]) {
  return askWith({}, ...args);
}

async function askWith(env: Readonly<Record<string, string>>, ...args: string[]) {
  const process = lull([...args, "--json"], { env });
  const { code } = await process.gone();
  return { code, json: JSON.parse(process.stdout) };
}

async function write(url: string, id: string, sender: string): Promise<number> {
  const body = JSON.stringify({ id, sender, text: id });
  const headers = { "content-type": "application/json", connection: "close" };
  return (await fetch(`${url}/webhooks/web`, { method: "POST", headers, body })).status;
}

/** A connection of its own for each question: whichever worker takes it answers. */
async function ready(url: string): Promise<number> {
  return (await fetch(`${url}/readyz`, { headers: { connection: "close" } })).status;
}

async function turnsOf(url: string): Promise<number> {
  return ((await (await fetch(`${url}/api/counts`)).json()) as { turns: number }).turns;
}

async function answeredBy(url: string, turns: number): Promise<void> {
  await eventually(`${turns} turns`, async () => ((await turnsOf(url)) >= turns ? true : undefined));
}

function change(sql: string): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec(sql);
  database.close();
}

/** Also that the log beside it, if there is one, is its own: another file's would spoil it. */
function stagedIn(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  expect(database.prepare("PRAGMA quick_check").get()).toEqual({ quick_check: "ok" });
  const row = database.prepare("SELECT count(*) AS staged FROM staged").get();
  database.close();
  return Number(row?.staged);
}

test("every worker notices a moved database, and acknowledges nothing until it is back", async () => {
  const service = lull(["start", "--workers", "2"]);
  const url = await service.url();
  expect(await write(url, "m1", "visitor-1")).toBe(200);
  await answeredBy(url, 1);
  const away = join(cwd, "away");
  await mkdir(away);
  for (const ending of ENDINGS) await rename(file + ending, join(away, `lull.db${ending}`));
  for (let n = 0; n < 20; n += 1) {
    expect(await write(url, `lost-${n}`, "visitor-1")).toBe(503);
    expect(await ready(url)).toBe(503);
  }
  for (const worker of [1, 2]) {
    await service.event(
      `a word of worker ${worker}`,
      (each) => each.event === "store.file-lost" && each.worker === worker,
    );
  }
  for (const ending of ENDINGS.toReversed()) await rename(join(away, `lull.db${ending}`), file + ending);
  await eventually("a ready worker", async () => ((await ready(url)) === 200 ? true : undefined));
  await eventually("a place for it", async () =>
    (await write(url, "m2", "visitor-1")) === 200 ? true : undefined,
  );
  await answeredBy(url, 2);
});

test("every worker's sweep opens a backup put in place, and a stop keeps what was acknowledged", async () => {
  const workers = [1, 2, 3];
  const service = lull(["start", "--workers", "3"], { env: { LULL_WINDOW_SECONDS: "600" } });
  const url = await service.url();
  expect(await write(url, "m1", "visitor-1")).toBe(200);
  const copy = join(cwd, "copy.db");
  expect((await ask("backup", copy)).code).toBe(0);
  for (const ending of ENDINGS) await rm(file + ending);
  const says = (name: string, worker: number) =>
    service.event(`${name} of worker ${worker}`, (each) => each.event === name && each.worker === worker);
  for (const worker of workers) await says("store.file-lost", worker);
  await copyFile(copy, file);
  // Without a request for readiness.
  for (const worker of workers) await says("store.reopened", worker);
  const before = service.events.length;
  for (let n = 0; n < 20; n += 1) {
    expect(await write(url, `after-${n}`, "visitor-1")).toBe(200);
    expect(await ready(url)).toBe(200);
    expect((await fetch(`${url}/api/counts`, { headers: { connection: "close" } })).status).toBe(200);
  }
  service.kill("SIGTERM");
  expect((await service.gone()).code).toBe(0);
  // There is no log of the old file to be moved away.
  for (const { event, reason } of service.events.slice(before)) {
    expect(["worker.leases-not-freed", "sweep.failed", "worker.look-failed"]).not.toContain(event);
    if (event === "store.file-lost") expect(reason).not.toContain("-wal");
  }
  // Of workers that close in one moment none is the last, and the log may stay: it is the new file's own.
  expect(stagedIn(file)).toBe(21);
});

test("doctor tells of a running service that has lost its database", async () => {
  const url = await lull(["start"]).url();
  const here = { PORT: new URL(url).port };
  const well = await askWith(here, "doctor", "--offline");
  expect(well.code).toBe(0);
  expect(well.json.findings).toContainEqual(expect.objectContaining({ check: "service", verdict: "ok" }));
  await rename(file, `${file}.away`);
  // An answer counts for a second: doctor asked before, and would hear the same answer again.
  await eventually("a service that is not ready", async () =>
    (await ready(url)) === 503 ? true : undefined,
  );
  const lost = await askWith(here, "doctor", "--offline");
  expect(lost.code).toBe(1);
  const detail = expect.stringContaining("is gone");
  expect(lost.json.findings).toContainEqual({ check: "service", verdict: "fail", detail });
});

test("doctor tells of a service that is frozen, and of what waits while none runs", async () => {
  const service = lull(["start"], { env: { LULL_WINDOW_SECONDS: "600" } });
  const url = await service.url();
  const here = { PORT: new URL(url).port };
  expect(await write(url, "m1", "visitor-1")).toBe(200);
  const { pid } = await service.event("a worker", ({ event }) => event === "worker.ready");
  for (const each of [service.child.pid, pid]) process.kill(Number(each), "SIGSTOP");
  const frozen = await askWith(here, "doctor", "--offline");
  const silent = expect.stringContaining("accepts and does not answer");
  expect(frozen.code).toBe(1);
  expect(frozen.json.findings).toContainEqual({ check: "service", verdict: "fail", detail: silent });

  for (const each of [service.child.pid, pid]) process.kill(Number(each), "SIGKILL");
  await service.gone();
  const stopped = async () => (await askWith(here, "doctor", "--offline")).json.findings;
  const none = { check: "service", verdict: "skip", detail: expect.stringMatching(/none answers on port/) };
  expect(await stopped()).toContainEqual(none);
  change("UPDATE states SET state = json_set(state, '$.window.dueAtMs', 1), wake_at_ms = 1");
  const waits = expect.stringContaining("should have been answered by now: 1");
  expect(await stopped()).toContainEqual({ check: "service", verdict: "warn", detail: waits });
});

test("a worker started again while the database is away makes no new one, and waits for it", async () => {
  const service = lull(["start", "--workers", "2"]);
  const url = await service.url();
  const away = join(cwd, "away");
  await mkdir(away);
  for (const ending of ENDINGS) await rename(file + ending, join(away, `lull.db${ending}`));
  const { pid } = await service.event("a worker", ({ event }) => event === "worker.ready");
  process.kill(Number(pid), "SIGKILL");
  await service.event("its failure", ({ event }) => event === "worker.failed");
  await expect(stat(file)).rejects.toMatchObject({ code: "ENOENT" });
  for (const ending of ENDINGS.toReversed()) await rename(join(away, `lull.db${ending}`), file + ending);
  await service.until("a third worker", () =>
    service.events.filter(({ event }) => event === "worker.ready").length === 3 ? true : undefined,
  );
  expect(await ready(url)).toBe(200);
});

test("one bad row: every customer is answered, the service is ready, and a person is told", async () => {
  const service = lull(["start", "--workers", "2"], { env: { LULL_WINDOW_SECONDS: "2" } });
  const url = await service.url();
  for (const sender of ["visitor-1", "visitor-2", "visitor-3"]) {
    expect(await write(url, `m-${sender}`, sender)).toBe(200);
  }
  change("UPDATE states SET state = '{\"works\":[{' WHERE rowid = (SELECT min(rowid) FROM states)");
  await answeredBy(url, 3);
  expect(await ready(url)).toBe(200);
  await service.event("an alarm", ({ event }) => event === "store.quarantined");
  expect(service.events.filter(({ event }) => event === "worker.look-failed")).toEqual([]);
  const listed = await ask("quarantine");
  expect(listed.json.items).toMatchObject([{ table: "states", why: "it is no JSON" }]);
  const { json } = await ask("doctor", "--offline");
  expect(json.findings).toContainEqual(expect.objectContaining({ check: "quarantine", verdict: "warn" }));
  expect((await ask("quarantine", "discard", listed.json.items[0].id)).code).toBe(0);
  expect((await ask("quarantine")).json.items).toEqual([]);
});

test.each([["start"], ["dev"], ["start", "--workers", "2"]])(
  "on a file that may only be read `lull %s` does not say that it listens",
  async (...args) => {
    openConnection({ file, synchronous: "full" }).close();
    await chmod(cwd, 0o777);
    await chmod(file, 0o444);
    const service = lull(args, UNPRIVILEGED);
    await expect(service.url()).rejects.toThrow("cannot be written");
    expect((await service.gone()).code).toBe(1);
    expect(service.stdout).toBe("");
  },
);
