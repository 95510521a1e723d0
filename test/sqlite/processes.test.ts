import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { settingsWith } from "../../src/core/defaults.ts";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import type { GivenSettings } from "../../src/model/settings.ts";
import type { Taken } from "../../src/model/take.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { arrival } from "../../src/testing/engine-contract/builders.ts";
import { EngineProcess } from "./engine-process.ts";

// Every process reads the same sources: once is enough.
/** Due at once: these tests run on the real clock and wait for nothing. */
const settings: Partial<GivenSettings> = { window: { kind: "fixed", lengthMs: 0 } };

const canLimitFileSize = spawnSync("prlimit", ["--version"]).status === 0;

let folder = "";
let file = "";
const processes: EngineProcess[] = [];
const engines: Engine[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-processes-"));
  file = join(folder, "lull.db");
});

afterEach(async () => {
  await Promise.all(processes.splice(0).map((each) => each.kill()));
  await Promise.all(engines.splice(0).map((each) => each.close()));
  await rm(folder, { recursive: true });
});

async function startMany(count: number): Promise<EngineProcess[]> {
  const started = await Promise.all(Array.from({ length: count }, () => EngineProcess.start(file, settings)));
  processes.push(...started);
  return started;
}

async function openMany(count: number): Promise<EngineProcess[]> {
  const started = await startMany(count);
  await Promise.all(started.map((each) => each.open()));
  return started;
}

/** This process, as one more worker on the file. */
async function openHere(): Promise<Engine> {
  const context = { clock: systemClock, settings: settingsWith(settings), log: () => {}, onArmed: () => {} };
  const engine = await sqlite({ file }).open({ ...context, holder: "here" });
  engines.push(engine);
  return engine;
}

function request(providerId: string, sender: string) {
  return { arrival: arrival({ providerId, sender, text: providerId, arrivedAtMs: systemClock.nowMs() }) };
}

/** Look by look: each takes no more than a batch may hold. */
async function takeAll(engine: Engine) {
  const all: Taken[] = [];
  for (;;) {
    const { outcomes } = await engine.turns.takeDue(10_000, new AbortController().signal);
    if (outcomes.length === 0) return all;
    all.push(...outcomes.flatMap((outcome) => (outcome.kind === "turn" ? [outcome.taken] : [])));
  }
}

it("processes that open a new file at the same moment migrate it once", async () => {
  const started = await startMany(6);
  await Promise.all(started.map((each) => each.open()));
  const message = request("m1", "ana");
  const outcomes = await Promise.all(started.map((each) => each.call("receiving", "stage", [message])));
  const kinds = outcomes.flat().map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === "staged")).toHaveLength(1);
  expect(kinds.filter((kind) => kind === "duplicate")).toHaveLength(5);

  const database = new DatabaseSync(file, { readOnly: true });
  expect(database.prepare("SELECT count(*) AS n FROM meta WHERE key = 'salt'").get()).toEqual({ n: 1 });
  database.close();
});

it("processes that make the same file at the same moment never get into each other's way", async () => {
  const started = await startMany(6);
  for (let round = 0; round < 40; round += 1) {
    const next = join(folder, `${round}.db`);
    await Promise.all(started.map((each) => each.makeFile(next)));
  }
});

it("processes that write to one file at once lose nothing and make one conversation per person", async () => {
  const open = await openMany(4);
  const staging = open.flatMap((each, at) =>
    Array.from({ length: 50 }, (_, n) => [
      each.call("receiving", "stage", [request(`own-${at}-${n}`, `person-${at}-${n}`)]),
      each.call("receiving", "stage", [request(`shared-${at}-${n}`, `shared-${n}`)]),
    ]),
  );
  const outcomes = (await Promise.all(staging.flat())).flat();
  expect(outcomes.every(({ kind }) => kind === "staged")).toBe(true);

  const here = await openHere();
  expect(await here.inspector.counts()).toMatchObject({ conversations: 250, staged: 400 });
  const turns = await Promise.all([
    takeAll(here),
    open[0]!.call("turns", "takeDue", 10_000, {} as AbortSignal),
  ]);
  const others = turns[1].outcomes.flatMap((outcome) => (outcome.kind === "turn" ? [outcome.taken] : []));
  const texts = [...turns[0], ...others].flatMap(({ messages }) => messages.map(({ text }) => text));
  expect(texts).toHaveLength(400);
  expect(new Set(texts).size).toBe(400);
});

it("a message is on disk when it is acknowledged, however its process ends", async () => {
  const [doomed] = await openMany(1);
  const acknowledged: string[] = [];
  const staging = Array.from({ length: 200 }, async (_, n) => {
    await doomed!.call("receiving", "stage", [request(`m${n}`, "ana")]);
    acknowledged.push(`m${n}`);
    // In the middle of it all: what was acknowledged by now counts, the rest may or may not be there.
    if (acknowledged.length === 20) await doomed!.kill();
  });
  await Promise.allSettled(staging);
  expect(acknowledged.length).toBeGreaterThanOrEqual(20);

  const here = await openHere();
  const [taken] = await takeAll(here);
  const stored = taken?.messages.map(({ text }) => text) ?? [];
  expect(stored).toEqual(expect.arrayContaining(acknowledged));
  const again = await here.receiving.stage(acknowledged.map((id) => request(id, "ana")));
  expect(again.every(({ kind }) => kind === "duplicate")).toBe(true);
});

it("the lease of a process that was killed is freed by another's sweep, not by time", async () => {
  const [doomed] = await openMany(1);
  await doomed!.call("receiving", "stage", [request("m1", "ana")]);
  const { outcomes } = await doomed!.call("turns", "takeDue", 10, {} as AbortSignal);
  expect(outcomes[0]?.kind).toBe("turn");

  const here = await openHere();
  expect(await takeAll(here)).toEqual([]);
  expect((await here.sweeping.sweep()).freed).toBe(0);
  const [lock] = (await here.inspector.locks({ limit: 1 })).items;
  await doomed!.kill();
  const { holder, takenAtMs: sinceAtMs } = lock!.lease!;
  const { freed, freedFrom } = await here.sweeping.sweep();
  expect([freed, freedFrom]).toEqual([1, [{ holder, leases: 1, sinceAtMs }]]);
  // It waits for a worker, and was told of.
  expect((await here.sweeping.sweep()).freed).toBe(0);
  expect(await here.sweeping.freeLeases(holder)).toBe(1);
  const [outcome] = (await here.turns.takeDue(10, AbortSignal.timeout(1_000))).outcomes;
  expect(outcome?.tookOver).toEqual({ conversationId: lock?.conversationId, holder, sinceAtMs });
  const taken = outcome?.kind === "turn" ? outcome.taken : undefined;
  expect(taken?.attempt).toBe(2);
  expect(taken?.messages.map(({ text }) => text)).toEqual(["m1"]);
  expect((await here.sweeping.sweep()).freed).toBe(0);
});

it.skipIf(!canLimitFileSize)(
  "a full disk is told, nothing is acknowledged, and it goes on when there is room again",
  async () => {
    const [child] = await openMany(1);
    await child!.call("receiving", "stage", [request("before", "ana")]);
    const { size } = await stat(`${file}-wal`);
    limitFileSize(child!.pid, size);
    const long = { arrival: { ...request("during", "ana").arrival, text: "x".repeat(90_000) } };
    await expect(child!.call("receiving", "stage", [long])).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
    await expect(child!.call("receiving", "stage", [long])).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
    const counts = await child!.call("inspector", "counts");
    expect(counts.staged).toBe(1);

    limitFileSize(child!.pid, "unlimited");
    const [outcome] = await child!.call("receiving", "stage", [long]);
    expect(outcome?.kind).toBe("staged");
    const here = await openHere();
    const [taken] = await takeAll(here);
    expect(taken?.messages.map(({ providerId }) => providerId)).toEqual(["before", "during"]);
  },
);

it.skipIf(!canLimitFileSize)(
  "on a disk that fills up under a crowd, whatever was acknowledged is there, and the rest was told",
  async () => {
    const [child] = await openMany(1);
    await child!.call("receiving", "stage", [request("before", "ana")]);
    const { size } = await stat(`${file}-wal`);
    limitFileSize(child!.pid, size + 400_000);
    const acknowledged: string[] = [];
    const crowd = Array.from({ length: 300 }, async (_, n) => {
      const { arrival: short } = request(`m${n}`, `person-${n}`);
      await child!.call("receiving", "stage", [{ arrival: { ...short, text: "x".repeat(5_000) } }]);
      acknowledged.push(`m${n}`);
    });
    const refused = (await Promise.allSettled(crowd)).filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(1);
    for (const each of refused) expect(each).toMatchObject({ reason: { code: "STORE_UNAVAILABLE" } });
    await child!.kill();

    const here = await openHere();
    const stored = (await takeAll(here)).flatMap(({ messages }) =>
      messages.map(({ providerId }) => providerId),
    );
    expect(stored).toEqual(expect.arrayContaining(["before", ...acknowledged]));
  },
);

/**
 * What a full disk looks like to one process, without needing one: its files cannot grow any more. Linux
 * only.
 */
function limitFileSize(pid: number, bytes: number | "unlimited"): void {
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`]);
}
