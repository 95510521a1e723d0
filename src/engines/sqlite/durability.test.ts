import { copyFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it } from "vitest";
import { settingsWith } from "../../core/defaults.ts";
import type { LogFields } from "../../model/log.ts";
import type { Engine, EngineContext, StageRequest } from "../../ports/engine.ts";
import { allSent, arrival, draftFor, replied } from "../../testing/engine-contract/builders.ts";
import { type FakeClock, fakeClock } from "../../testing/fake-clock.ts";
import { sqlite } from "./index.ts";

const unavailable = { code: "STORE_UNAVAILABLE", retry: "later" };
/** What SQLite calls FULL: a commit is on disk when it returns. */
const FULL = 2;
const soon = new AbortController().signal;

let folder = "";
let file = "";
let clock: FakeClock;
const opened: Engine[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-durability-"));
  file = join(folder, "lull.db");
  clock = fakeClock();
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((engine) => engine.close()));
  await rm(folder, { recursive: true });
});

async function open(given: Partial<EngineContext> = {}, at = file): Promise<Engine> {
  const context = { clock, settings: settingsWith({}), holder: "here", log: () => {}, onArmed: () => {} };
  const engine = await sqlite({ file: at }).open({ ...context, ...given });
  opened.push(engine);
  return engine;
}

let count = 0;
function message(text = "hi"): StageRequest {
  count += 1;
  return { arrival: arrival({ providerId: `m${count}`, text, arrivedAtMs: clock.nowMs() }) };
}

/** Changes the file behind the engine's back. */
function change(sql: string): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec(sql);
  database.close();
}

/** Every statement works, and the commit does not: as on a disk that is full by then. */
const COMMITS_FAIL = `
  CREATE TABLE owner (id INTEGER PRIMARY KEY);
  CREATE TABLE debt (owner INTEGER REFERENCES owner (id) DEFERRABLE INITIALLY DEFERRED);
  CREATE TRIGGER owes AFTER INSERT ON staged BEGIN INSERT INTO debt VALUES (7); END`;

it("a commit that fails, failed for every request in it", async () => {
  const engine = await open();
  await engine.receiving.stage([message("before")]);
  change(COMMITS_FAIL);
  for (const size of [1, 2, 50]) {
    const staging = Array.from({ length: size }, () => engine.receiving.stage([message()]));
    // Its own part of the work is fine, but in the same commit.
    const outcomes = await Promise.allSettled([...staging, engine.conversations.pauseAll(true)]);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: "rejected", reason: unavailable });
  }
  expect(await engine.inspector.counts()).toMatchObject({ staged: 1, paused: false });
  change("DROP TRIGGER owes");
  expect((await engine.receiving.stage([message("after")]))[0]?.kind).toBe("staged");
});

it("every writing connection is opened with full syncing, also that after its thread died", async () => {
  const openings: LogFields[] = [];
  const log: EngineContext["log"] = (_level, event, fields = {}) =>
    void (event === "store.opened" && openings.push(fields));
  const threads: Worker[] = [];
  const seen = (worker: Worker) => void threads.push(worker);
  process.on("worker", seen);
  const engine = await open({ log });
  await engine.ping();
  await threads[0]!.terminate();
  await engine.ping().catch(() => {});
  await engine.ping();
  await (await open({ log })).ping();
  process.off("worker", seen);
  expect(openings).toEqual(Array.from({ length: 3 }, () => ({ journal: "wal", synchronous: FULL })));
});

it("what was acknowledged is in the files at that moment", async () => {
  const engine = await open();
  const at = async (look: (left: Engine) => Promise<void>) => {
    const copy = join(folder, `copy-${count}-${opened.length}.db`);
    for (const ending of ["", "-wal"]) copyFileSync(file + ending, copy + ending);
    await look(await open({}, copy));
  };
  const first = message("one");
  await engine.receiving.stage([first]);
  await at(async (left) => expect((await left.receiving.stage([first]))[0]?.kind).toBe("duplicate"));
  await clock.advance(10_000);
  const { outcomes } = await engine.turns.takeDue(1, soon);
  const taken = outcomes[0]?.kind === "turn" ? outcomes[0].taken : undefined;
  const draft = draftFor(taken!);
  await engine.turns.draft(taken!.lease, draft);
  await at(async (left) => expect((await left.inspector.locks({ limit: 1 })).items[0]?.draft).toBe(true));
  await engine.turns.commit(taken!.lease, replied(taken!, allSent(draft)));
  await at(async (left) => expect(await left.inspector.counts()).toMatchObject({ staged: 0, turns: 1 }));
});
