import { copyFileSync, existsSync, renameSync } from "node:fs";
import {
  copyFile,
  mkdir,
  mkdtemp,
  open as openFile,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { settingsWith } from "../../core/defaults.ts";
import type { LogFields } from "../../model/log.ts";
import type { Engine, StageRequest } from "../../ports/engine.ts";
import { arrival } from "../../testing/engine-contract/builders.ts";
import { type FakeClock, fakeClock } from "../../testing/fake-clock.ts";
import { sqlite } from "./index.ts";
import { openSession } from "./session.ts";

const unavailable = { code: "STORE_UNAVAILABLE", retry: "later" };
const ENDINGS = ["", "-wal", "-shm"];
const FULL = 2;

let folder = "";
let file = "";
let clock: FakeClock;
const opened: Engine[] = [];
let logged: { event: string; fields: LogFields }[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-lost-"));
  file = join(folder, "lull.db");
  clock = fakeClock();
  logged = [];
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((engine) => engine.close()));
  await rm(folder, { recursive: true });
});

async function open(at = file): Promise<Engine> {
  const engine = await sqlite({ file: at }).open({
    clock,
    settings: settingsWith({}),
    holder: "here",
    log: (_level, event, fields = {}) => void logged.push({ event, fields }),
    onArmed: () => {},
  });
  opened.push(engine);
  return engine;
}

let count = 0;
function message(text = "hi"): StageRequest {
  count += 1;
  return { arrival: arrival({ providerId: `m${count}`, text, arrivedAtMs: clock.nowMs() }) };
}

function eventsOf(name: string): LogFields[] {
  return logged.flatMap(({ event, fields }) => (event === name ? [fields] : []));
}

async function moveAway(endings = ENDINGS): Promise<string> {
  const away = join(folder, "away");
  await mkdir(away, { recursive: true });
  for (const ending of endings) await rename(file + ending, join(away, `lull.db${ending}`));
  return join(away, "lull.db");
}

async function backup(): Promise<string> {
  const copy = join(folder, "copy.db");
  await sqlite({ file }).backup!(copy, { atMs: clock.nowMs(), onProgress: () => {} });
  return copy;
}

/** As a reader finds it who has nothing but the file. */
async function stagedIn(path: string): Promise<number> {
  const alone = join(folder, "alone.db");
  await copyFile(path, alone);
  const database = new DatabaseSync(alone);
  const row = database.prepare("SELECT count(*) AS staged FROM staged").get();
  database.close();
  return Number(row?.staged);
}

/** Not ready, and nothing is acknowledged, read or swept. */
async function refusesEverything(engine: Engine, words: string): Promise<void> {
  const refused = { ...unavailable, message: expect.stringContaining(words) };
  await expect(engine.ping()).rejects.toMatchObject(unavailable);
  await expect(engine.ping()).rejects.toMatchObject(refused);
  await expect(engine.receiving.stage([message()])).rejects.toMatchObject(refused);
  await expect(engine.sweeping.sweep()).rejects.toMatchObject(unavailable);
  await expect(engine.inspector.counts()).rejects.toMatchObject(unavailable);
}

describe("a database file that is not at its place any more", () => {
  it("deleted: no worker acknowledges what is written to it", async () => {
    const [first, second] = [await open(), await open()];
    await first.receiving.stage([message()]);
    await second.inspector.counts();
    for (const ending of ENDINGS) await rm(file + ending);
    for (const engine of [first, second]) {
      await expect(engine.receiving.stage([message()])).rejects.toMatchObject(unavailable);
      await refusesEverything(engine, "is gone: put it back, or stop lull, restore a backup");
    }
    expect(eventsOf("store.file-lost").length).toBeGreaterThanOrEqual(2);
  });

  it("reached through a link: the log beside the link's target is looked at, too", async () => {
    const real = join(dirname(file), "real");
    await mkdir(real);
    const link = file;
    await writeFile(join(real, "kept.db"), "");
    await symlink(join(real, "kept.db"), link);
    const engine = await open();
    await engine.receiving.stage([message()]);
    await engine.ping();
    await rm(join(real, "kept.db-wal"));
    await expect(engine.receiving.stage([message()])).rejects.toMatchObject(unavailable);
    await refusesEverything(engine, "was removed or replaced while it was in use: restart lull");
  });

  it("moved away and back: goes on where it was", async () => {
    const engine = await open();
    await engine.receiving.stage([message()]);
    const away = await moveAway([""]);
    await refusesEverything(engine, "is gone");
    await rename(away, file);
    await engine.ping();
    expect((await engine.receiving.stage([message()]))[0]?.kind).toBe("staged");
    // Nothing of what was refused meanwhile was written.
    expect((await engine.inspector.counts()).staged).toBe(2);
    expect(eventsOf("store.file-back").length).toBeGreaterThanOrEqual(1);
  });

  it("found lost by a reader: the writer looks, too, and says so", async () => {
    const engine = await open();
    await engine.receiving.stage([message()]);
    await engine.inspector.counts();
    const copy = await backup();
    await moveAway();
    await expect(engine.inspector.counts()).rejects.toMatchObject(unavailable);
    await expect(engine.inspector.counts()).rejects.toMatchObject({
      message: expect.stringContaining("gone"),
    });
    expect(eventsOf("store.file-lost")).toHaveLength(1);
    await copyFile(copy, file);
    await engine.sweeping.sweep();
    expect((await engine.inspector.counts()).staged).toBe(1);
  });

  it("not there when it is read for the first time: is read once it is back", async () => {
    const engine = await open();
    const away = await moveAway();
    await expect(engine.inspector.counts()).rejects.toMatchObject(unavailable);
    await expect(stat(file)).rejects.toMatchObject({ code: "ENOENT" });
    for (const ending of ENDINGS.toReversed()) await rename(away + ending, file + ending);
    expect((await engine.inspector.counts()).staged).toBe(0);
  });

  it.each(["-wal", "-shm"])("without its %s: nothing is acknowledged", async (ending) => {
    const engine = await open();
    await engine.receiving.stage([message()]);
    await rm(file + ending);
    await refusesEverything(engine, "restart lull");
  });
});

describe("a database file that its own backup stands in place of", () => {
  it("replaced by its own backup, log and all: opens that, every commit synced, and goes on", async () => {
    const [first, second] = [await open(), await open()];
    await first.receiving.stage([message("kept")]);
    const copy = await backup();
    await first.receiving.stage([message("after the backup")]);
    expect((await second.inspector.counts()).staged).toBe(2);
    await moveAway();
    await copyFile(copy, file);
    for (const engine of [first, second]) {
      await expect(engine.receiving.stage([message()])).rejects.toMatchObject(unavailable);
      await engine.ping();
      // Its reader no longer has the old file.
      expect((await engine.inspector.counts()).staged).toBe(1);
    }
    expect((await first.receiving.stage([message()]))[0]?.kind).toBe("staged");
    expect((await second.inspector.counts()).staged).toBe(2);
    const reopened = eventsOf("store.reopened");
    expect(reopened.length).toBeGreaterThanOrEqual(2);
    for (const fields of reopened) expect(fields).toEqual({ journal: "wal", synchronous: FULL });
  });

  it("replaced by a backup: every worker's next sweep opens it, and then none calls it lost", async () => {
    const engines = [await open(), await open()];
    await engines[0]!.receiving.stage([message("kept")]);
    for (const engine of engines) expect((await engine.inspector.counts()).staged).toBe(1);
    const copy = await backup();
    for (const ending of ENDINGS) await rm(file + ending);
    for (const engine of engines) await expect(engine.sweeping.sweep()).rejects.toMatchObject(unavailable);
    await copyFile(copy, file);
    logged = [];
    for (const engine of engines) {
      await engine.sweeping.sweep();
      expect((await engine.receiving.stage([message()]))[0]?.kind).toBe("staged");
    }
    for (const engine of engines) expect((await engine.inspector.counts()).staged).toBe(3);
    expect(eventsOf("store.reopened")).toHaveLength(2);
    // Until it was looked at. The log beside it has been its own since: nothing may ask to move it away.
    for (const { reason } of eventsOf("store.file-lost")) expect(reason).not.toContain("-wal");
    await engines[0]!.close();
    await engines[1]!.close();
    expect(await stagedIn(file)).toBe(3);
    for (const ending of ["-wal", "-shm"])
      await expect(stat(file + ending)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("replaced by a backup: a process that only frees leases opens it, too", async () => {
    const [busy, parent] = [await open(), await open()];
    await busy.receiving.stage([message()]);
    const copy = await backup();
    await moveAway();
    await copyFile(copy, file);
    await busy.ping();
    await busy.receiving.stage([message()]);
    logged = [];
    expect(await parent.sweeping.freeLeases("there")).toBe(0);
    expect(eventsOf("store.reopened")).toHaveLength(1);
    for (const { reason } of eventsOf("store.file-lost")) expect(reason).not.toContain("-wal");
    await busy.close();
    await parent.close();
    expect(await stagedIn(file)).toBe(2);
  });

  it("replaced at the very moment of its opening: the open file is the one that is there", async () => {
    const engine = await open();
    const copy = await backup();
    await engine.close();
    const database = new DatabaseSync(copy);
    database.exec("INSERT INTO meta VALUES ('which', 'the copy')");
    database.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    let isReplaced = false;
    const session = openSession({
      synchronous: "off",
      nowMs: clock.nowMs,
      get file() {
        // Its log is there as soon as it is open.
        if (!isReplaced && existsSync(`${file}-wal`)) {
          isReplaced = true;
          for (const ending of ENDINGS) renameSync(file + ending, join(folder, `away.db${ending}`));
          copyFileSync(copy, file);
        }
        return file;
      },
    });
    expect(isReplaced).toBe(true);
    expect(session.file.trouble()).toBeUndefined();
    const found = session.database.prepare("SELECT value FROM meta WHERE key = 'which'").get();
    session.database.close();
    expect(found).toEqual({ value: "the copy" });
  });

  it("replaced by a copy that is not whole yet: waits until it is", async () => {
    const engine = await open();
    await engine.receiving.stage(Array.from({ length: 200 }, () => message("x".repeat(1_000))));
    const copy = await backup();
    await moveAway();
    const whole = await readFile(copy);
    await writeFile(file, whole.subarray(0, 40_960));
    await expect(engine.ping()).rejects.toMatchObject(unavailable);
    // As long as it will be, but its end is still missing.
    await writeFile(file, Buffer.from(whole).fill(0, whole.length / 2));
    await expect(engine.ping()).rejects.toMatchObject(unavailable);
    await truncate(file, 0);
    await expect(engine.ping()).rejects.toMatchObject(unavailable);
    const handle = await openFile(file, "r+");
    await handle.writeFile(whole);
    await handle.close();
    await engine.ping();
    expect((await engine.inspector.counts()).staged).toBe(200);
  });
});

describe("a database file that something else stands in place of", () => {
  it("gone, then replaced, then back: each reason is logged, once", async () => {
    const engine = await open();
    await (await open(join(folder, "other.db"))).close();
    const away = await moveAway();
    const look = () => engine.turns.takeDue(1, new AbortController().signal).catch(() => {});
    for (let n = 0; n < 3; n += 1) await look();
    await copyFile(join(folder, "other.db"), file);
    for (let n = 0; n < 3; n += 1) await look();
    for (let n = 0; n < 3; n += 1) {
      await engine.ping().catch(() => {});
      await look();
    }
    expect(eventsOf("store.file-lost").map(({ reason }) => reason)).toEqual([
      expect.stringContaining("is gone"),
      expect.stringContaining("was replaced while it was in use: the next sweep looks at it"),
      expect.stringContaining("is another database"),
    ]);
    await rm(file);
    for (const ending of ENDINGS.toReversed()) await rename(away + ending, file + ending);
    await engine.ping();
    await engine.inspector.counts();
    expect(eventsOf("store.file-back")).toHaveLength(1);
  });

  it("replaced by another database: is not taken for ours", async () => {
    const engine = await open();
    await (await open(join(folder, "other.db"))).close();
    await moveAway();
    await copyFile(join(folder, "other.db"), file);
    await refusesEverything(engine, "another database");
  });

  it("replaced while the old log lies beside it: says what to do, and leaves both alone", async () => {
    const engine = await open();
    await engine.receiving.stage([message()]);
    const copy = await backup();
    await engine.receiving.stage([message()]);
    await moveAway([""]);
    await copyFile(copy, file);
    const before = await readFile(file);
    await refusesEverything(engine, "-wal and");
    expect(Buffer.compare(await readFile(file), before)).toBe(0);
  });
});

describe("a file with damaged pages", () => {
  it.each(["states_by_wake", "states", "staged"])(
    "(%s): the service is not ready, and says so",
    async (name) => {
      const engine = await open();
      await engine.receiving.stage([message()]);
      await engine.close();
      await damage(name);
      const again = await open();
      await clock.advance(10_000);
      await again.turns.takeDue(10, new AbortController().signal).catch(() => {});
      await expect(again.ping()).rejects.toMatchObject({
        ...unavailable,
        message: expect.stringContaining("damaged"),
      });
      await expect(again.ping()).rejects.toMatchObject(unavailable);
      expect(eventsOf("store.damaged")).toHaveLength(1);
    },
  );

  it.each([
    ["its first page", (bytes: Buffer) => bytes.fill(0x55, 100, 4_096)],
    ["its very name", (bytes: Buffer) => bytes.fill(0x55, 0, 100)],
  ])("(%s): nothing is opened, and the caller is told what to do", async (_, spoil) => {
    const engine = await open();
    await engine.close();
    await writeFile(file, spoil(await readFile(file)));
    await expect(open()).rejects.toThrow(/damaged: stop lull and restore a backup/);
  });
});

it("damage that a webhook finds is known to every caller", async () => {
  const engine = await open();
  await engine.receiving.stage([message()]);
  await engine.close();
  await damage("staged");
  const again = await open();
  await expect(again.receiving.stage([message()])).rejects.toMatchObject(unavailable);
  expect(eventsOf("store.damaged")).toHaveLength(1);
  await expect(again.ping()).rejects.toMatchObject({ message: expect.stringContaining("damaged") });
});

it("nothing more is acknowledged on a file that is known to be damaged, wherever the damage is", async () => {
  const engine = await open();
  await engine.receiving.stage([message()]);
  await engine.close();
  await damage("dead_letters");
  const again = await open();
  expect(await again.receiving.stage([message()])).toMatchObject([{ kind: "staged" }]);
  await again.inspector.dead({ limit: 1 }).catch(() => {});
  expect(eventsOf("store.damaged")).toHaveLength(1);
  await expect(again.receiving.stage([message()])).rejects.toMatchObject({
    ...unavailable,
    message: expect.stringContaining("damaged"),
  });
});

describe("a look at all of it", () => {
  it("finds damage in pages that were not read", async () => {
    const engine = await open();
    expect(await engine.examine?.()).toEqual([]);
    await engine.close();
    await damage("refusals");
    const again = await open();
    await again.ping();
    expect(await again.examine?.()).toMatchObject([
      { check: "store", verdict: "fail", detail: expect.stringContaining("restore a backup") },
    ]);
  });
});

describe("a backup beside the log of the database before it", () => {
  it("is not opened, and nothing is written into it; without that log it is", async () => {
    const engine = await open();
    await engine.receiving.stage([message()]);
    const copy = await backup();
    await engine.receiving.stage([message()]);
    const place = await asAfterKill();
    await copyFile(copy, place);
    const before = await readFile(place);
    await expect(open(place)).rejects.toThrow(/-wal belongs to another one\. Move it and .*-shm away/);
    expect(await readFile(place)).toEqual(before);
    await rm(`${place}-wal`);
    expect((await (await open(place)).inspector.counts()).staged).toBe(1);
  });

  it("is opened with a log of its own, by the next process after a kill", async () => {
    const engine = await open();
    await engine.receiving.stage([message()]);
    const copy = await backup();
    await engine.close();
    await copyFile(copy, file);
    const restored = await open();
    await restored.receiving.stage([message()]);
    expect((await (await open(await asAfterKill())).inspector.counts()).staged).toBe(2);
  });
});

/** A copy of the file with the log that lies beside it now, as a kill leaves them. */
async function asAfterKill(): Promise<string> {
  const place = join(folder, "killed.db");
  for (const ending of ["", "-wal"]) await copyFile(file + ending, place + ending);
  return place;
}

/** Overwrites the first page of a table or an index with bytes that are no page. */
async function damage(name: string): Promise<void> {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const page = Number(
    database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name)?.rootpage,
  );
  const size = Number(database.prepare("PRAGMA page_size").get()?.page_size);
  database.close();
  const handle = await openFile(file, "r+");
  await handle.write(Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size);
  await handle.close();
}
