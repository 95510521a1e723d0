import { mkdir, mkdtemp, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { settingsWith } from "../../core/defaults.ts";
import { LullError } from "../../errors.ts";
import type { Engine, EngineContext, StageRequest } from "../../ports/engine.ts";
import { arrival } from "../../testing/engine-contract/builders.ts";
import { type FakeClock, fakeClock } from "../../testing/fake-clock.ts";
import { outageOf } from "../../wire/outage.ts";
import { sqlite } from "./index.ts";
import { StoreClient } from "./store-client.ts";

const unavailable = { code: "STORE_UNAVAILABLE", retry: "later" };

let folder = "";
let file = "";
let clock: FakeClock;
const opened: Engine[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-store-"));
  file = join(folder, "lull.db");
  clock = fakeClock();
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((engine) => engine.close()));
  await rm(folder, { recursive: true });
});

function context(given: Partial<EngineContext> = {}): EngineContext {
  return {
    clock,
    settings: settingsWith({}),
    holder: "here",
    log: () => {},
    onArmed: () => {},
    ...given,
  };
}

async function open(given: Partial<EngineContext> = {}, at = file): Promise<Engine> {
  const engine = await sqlite({ file: at }).open(context(given));
  opened.push(engine);
  return engine;
}

let count = 0;
function message(text = "hi", sender = "ana"): StageRequest {
  count += 1;
  return { arrival: arrival({ providerId: `m${count}`, sender, text, arrivedAtMs: clock.nowMs() }) };
}

/** One of many: not that many may wait for one person, and each costs a look at the pile. */
function messageOfMany(text = "hi"): StageRequest {
  return message(text, `person-${count % 500}`);
}

/** What the thread cannot carry out: nothing of it may stay, and no other request may suffer. */
const broken = {
  arrival: { ...arrival({ providerId: "broken", arrivedAtMs: 0 }), media: undefined },
} as never;

/** Opens an engine, and tells which thread writes for it. */
async function openWithWriter(
  given: Partial<EngineContext> = {},
): Promise<{ engine: Engine; writer: Worker }> {
  const started: Worker[] = [];
  const seen = (worker: Worker) => void started.push(worker);
  process.on("worker", seen);
  const engine = await open(given);
  process.off("worker", seen);
  return { engine, writer: started[0]! };
}

/** Another process in the middle of a write, as far as SQLite can tell. */
function holdWriteLock(): () => void {
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  return () => {
    other.exec("COMMIT");
    other.close();
  };
}

describe("the writer thread that dies", () => {
  it("rejects what waits, is started again, and loses nothing acknowledged", async () => {
    const events: string[] = [];
    const { engine, writer } = await openWithWriter({
      log: (level, event) => void (level === "error" && events.push(event)),
    });
    await engine.receiving.stage([message("before")]);
    const release = holdWriteLock();
    // As many as go to the thread even while it rests.
    const waiting = Array.from({ length: 16 }, () => engine.receiving.stage([message()]));
    const outcomes = Promise.allSettled(waiting);
    await clock.settle();
    await writer.terminate();
    release();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: unavailable });
    }
    expect(events).toEqual(["store.thread-died"]);
    const [after] = await engine.receiving.stage([message("after")]);
    expect(after?.kind).toBe("staged");
    const [shown] = (await engine.inspector.conversations({ limit: 1 })).items;
    const { staged } = (await engine.inspector.conversation(shown!.id))!;
    expect(staged.map(({ text }) => text)).toEqual(["before", "after"]);
  });

  it("answers nothing after its death: what it still says is not for callers of the next one", async () => {
    const { engine, writer } = await openWithWriter();
    const release = holdWriteLock();
    const lost = Array.from({ length: 16 }, () => engine.receiving.stage([messageOfMany()]));
    const rejected = Promise.allSettled(lost);
    await clock.settle();
    // Node may tell of a thread's death before it delivers what the thread had said.
    writer.emit("error", new Error("it died"));
    const stageNext = () => engine.receiving.stage([message("next", `next-${count}`)]);
    const next = [stageNext()];
    await clock.settle();
    // These go to the next thread while it opens the file.
    next.push(...Array.from({ length: 39 }, stageNext));
    await clock.settle();
    const outcomes = Promise.all(next);
    for (const { status } of await rejected) expect(status).toBe("rejected");
    const said = new Promise((resolve) => writer.on("message", resolve));
    release();
    await said;
    const ids = (await outcomes).map(([outcome]) => outcome?.kind === "staged" && outcome.conversationId);
    expect(new Set(ids).size).toBe(40);
    for (const id of ids) {
      const shown = await engine.inspector.conversation(String(id));
      expect(shown?.staged.map(({ text }) => text)).toEqual(["next"]);
    }
  });

  it("of an error reports the store's words, and no other words", async () => {
    const reasons: unknown[] = [];
    const dying = async (error: Error) => {
      const { writer } = await openWithWriter({
        log: (_level, _event, fields) => void reasons.push(fields?.reason),
      });
      writer.emit("error", error);
    };
    await dying(new SyntaxError("Unexpected token 'm', my card is not valid JSON"));
    await dying(Object.assign(new Error("disk I/O error"), { errcode: 10 }));
    expect(reasons).toEqual([expect.stringMatching(/^SyntaxError at store\.test\.ts/), "disk I/O error"]);
  });

  it("tells every waiting caller when it cannot be started again, and goes on once it can", async () => {
    const { engine, writer } = await openWithWriter();
    await engine.receiving.stage([message("before")]);
    await writer.terminate();
    for (const ending of ["", "-wal", "-shm"]) await rm(`${file}${ending}`, { force: true });
    await mkdir(file);
    const large = "x".repeat(1_000_000);
    const waiting = Array.from({ length: 64 }, () => engine.receiving.stage([messageOfMany(large)]));
    for (const outcome of await Promise.allSettled(waiting))
      expect(outcome).toMatchObject({ status: "rejected", reason: unavailable });
    // And what they took is there for others.
    await rmdir(file);
    expect((await engine.receiving.stage([message()]))[0]?.kind).toBe("staged");
  });

  it("tells every waiting caller when it dies while the engine closes", async () => {
    const { engine, writer } = await openWithWriter();
    const release = holdWriteLock();
    const waiting = expect(engine.receiving.stage([message()])).rejects.toMatchObject(unavailable);
    await clock.settle();
    const closing = engine.close();
    await writer.terminate();
    release();
    await waiting;
    await closing;
  });
});

describe("the writer thread that is closed", () => {
  it("takes no more once it is closed, and closing twice is harmless", async () => {
    const engine = await open();
    await engine.close();
    await engine.close();
    await expect(engine.receiving.stage([message()])).rejects.toMatchObject(unavailable);
    await expect(engine.inspector.counts()).rejects.toMatchObject(unavailable);
  });

  it("finishes what was asked before it was closed", async () => {
    const engine = await open();
    const staging = engine.receiving.stage([message("last words")]);
    await engine.close();
    expect((await staging)[0]?.kind).toBe("staged");
    expect((await (await open()).inspector.counts()).staged).toBe(1);
  });
});

describe("the writer thread among others", () => {
  it("waits for another process's transaction instead of failing", async () => {
    const engine = await open();
    const release = holdWriteLock();
    const staging = engine.receiving.stage([message()]);
    await clock.settle();
    release();
    expect((await staging)[0]?.kind).toBe("staged");
  });

  it("does not let a bad request fail its neighbours, and keeps nothing of it", async () => {
    const engine = await open();
    const outcomes = await Promise.allSettled([
      engine.receiving.stage([message("one")]),
      engine.receiving.stage([message("half of a bad request"), broken]),
      engine.receiving.stage([message("two")]),
      engine.receiving.stage([broken]),
      engine.receiving.stage([message("three")]),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(outcomes[1]).toMatchObject({ reason: { name: "TypeError" } });
    expect((await engine.inspector.counts()).staged).toBe(3);
    const alone = await engine.receiving.stage([broken]).catch((error) => error);
    // A bug, by its own name: the store is not away, and waiting does not help.
    expect(alone).toMatchObject({ name: "TypeError", message: expect.stringContaining("undefined") });
    expect(alone).not.toBeInstanceOf(LullError);
    expect(outageOf(alone, clock.nowMs())).toBeUndefined();
  });

  it("keeps nothing of a bad request beside a look that finds nothing due", async () => {
    const engine = await open();
    const [looked, staged] = await Promise.allSettled([
      engine.turns.takeDue(1, new AbortController().signal),
      engine.receiving.stage([message("half of a bad request"), broken]),
    ]);
    expect([looked.status, staged.status]).toEqual(["fulfilled", "rejected"]);
    expect((await engine.inspector.counts()).staged).toBe(0);
  });

  it("tells its own process when a window was armed", async () => {
    const armed: number[] = [];
    const engine = await open({ onArmed: (atMs) => void armed.push(atMs) });
    await engine.receiving.stage([message()]);
    await engine.receiving.stage([message()]);
    expect(armed).toEqual([clock.nowMs() + 10_000]);
  });
});

it("what comes one by one while the thread is at work shares one commit", async () => {
  const groups: number[] = [];
  const options = { file, synchronous: "full", settings: settingsWith({}), holder: "here" } as const;
  const client = await StoreClient.open(
    options,
    clock,
    () => {},
    ({ replies }) => groups.push(replies.length),
  );
  const release = holdWriteLock();
  const stage = async () => {
    const asked = client.run({ name: "stage", input: [message()], nowMs: clock.nowMs() });
    await clock.settle();
    return { asked };
  };
  const all = [];
  for (let n = 0; n < 10; n += 1) all.push(await stage());
  release();
  await Promise.all(all.map(({ asked }) => asked));
  await client.close();
  expect(groups).toEqual([1, 9]);
});

it("is closed although all that still waits has waited too long", async () => {
  const engine = await open();
  const release = holdWriteLock();
  const atTheThread = engine.receiving.stage([message()]);
  await clock.settle();
  const late = expect(engine.receiving.stage([message()])).rejects.toMatchObject(unavailable);
  const closed = engine.close();
  await clock.advance(10_001);
  release();
  await Promise.all([atTheThread, late, closed]);
});

describe("the writer thread at its limits", () => {
  it("tells the caller at once when too many requests wait", async () => {
    const engine = await open();
    const release = holdWriteLock();
    const waiting = Array.from({ length: 20_000 }, () => engine.receiving.stage([messageOfMany()]));
    await expect(engine.receiving.stage([message()])).rejects.toMatchObject(unavailable);
    release();
    await Promise.all(waiting);
    expect((await engine.inspector.counts()).staged).toBe(20_000);
    expect((await engine.receiving.stage([message()]))[0]?.kind).toBe("staged");
  });

  it("tells the caller at once when what waits is too large, and takes all that it has taken", async () => {
    const engine = await open();
    const release = holdWriteLock();
    const large = "x".repeat(1_000_000);
    // One is with the thread already; 64 more are as much as may wait.
    const waiting = [engine.receiving.stage([message(large)])];
    await clock.settle();
    for (let n = 0; n < 64; n += 1)
      waiting.push(engine.receiving.stage([message(large, `person-${waiting.length}`)]));
    await expect(engine.receiving.stage([message()])).rejects.toMatchObject(unavailable);
    release();
    await Promise.all(waiting);
    expect((await engine.inspector.counts()).staged).toBe(65);
    expect((await engine.receiving.stage([message()]))[0]?.kind).toBe("staged");
  });

  it("takes a request that is larger than a group of them may be", async () => {
    const engine = await open();
    expect((await engine.receiving.stage([message("x".repeat(5_000_000))]))[0]?.kind).toBe("staged");
  });

  it("fails what waited longer than its caller does", async () => {
    const engine = await open();
    const release = holdWriteLock();
    const atTheThread = engine.receiving.stage([message()]);
    await clock.settle();
    const old = expect(engine.receiving.stage([message()])).rejects.toMatchObject(unavailable);
    await clock.advance(1);
    const atTheLimit = engine.receiving.stage([message()]);
    await clock.advance(10_000);
    const young = engine.receiving.stage([message()]);
    release();
    await old;
    await Promise.all([atTheThread, atTheLimit, young]);
    expect((await engine.inspector.counts()).staged).toBe(3);
  });
});

describe("the file", () => {
  it("is made with its folder", async () => {
    const engine = await open({}, join(folder, "deep", "er", "lull.db"));
    await engine.ping();
  });

  it("of a newer version is refused, and left as it was", async () => {
    await (await open()).close();
    const database = new DatabaseSync(file);
    database.exec("PRAGMA user_version = 99");
    await expect(open()).rejects.toMatchObject({
      ...unavailable,
      message: expect.stringContaining("newer version"),
    });
    expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: 99 });
    database.close();
  });

  it("that is no database is refused", async () => {
    await writeFile(file, "this is a text, and a long one, about something else entirely\n".repeat(100));
    await expect(open()).rejects.toMatchObject(unavailable);
  });

  it("that could not be opened is opened once it can be", async () => {
    await mkdir(file);
    await expect(open()).rejects.toMatchObject(unavailable);
    await rmdir(file);
    await (await open()).ping();
  });

  it.each(["PRAGMA user_version = 99", "DROP TABLE meta"])(
    "that cannot be used (%s) is closed: no file of ours is left beside it",
    async (spoil) => {
      await (await open()).close();
      const database = new DatabaseSync(file);
      database.exec(spoil);
      database.close();
      const inline = sqlite({ file, writer: "inline" });
      await expect(inline.open(context())).rejects.toThrow();
      expect(await readdir(folder)).toEqual(["lull.db"]);
    },
  );

  it("remembers what it holds when it is opened again", async () => {
    const first = await open();
    await first.receiving.stage([message("kept")]);
    await first.conversations.pauseAll(true);
    await first.close();
    const second = await open();
    expect(await second.inspector.counts()).toMatchObject({ staged: 1, windows: 1, paused: true });
  });

  it("keeps no message id of a person, only salted hashes", async () => {
    const engine = await open();
    const request = message("hi");
    await engine.receiving.stage([request]);
    const [conversation] = (await engine.inspector.conversations({ limit: 1 })).items;
    await engine.conversations.erase(conversation!.id);
    expect((await engine.receiving.stage([request]))[0]?.kind).toBe("duplicate");
    const database = new DatabaseSync(file, { readOnly: true });
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    for (const { name } of tables) {
      const rows = database.prepare(`SELECT * FROM ${String(name)}`).all();
      expect(JSON.stringify(rows)).not.toContain(request.arrival.providerId);
      expect(JSON.stringify(rows)).not.toContain("ana");
    }
    database.close();
  });
});
