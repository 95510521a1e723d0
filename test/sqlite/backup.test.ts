import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { access, mkdtemp, open as openFile, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { settingsWith } from "../../src/core/defaults.ts";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import { LOG_BYTES_MAX } from "../../src/engines/sqlite/shrink-log.ts";
import type { LogFields } from "../../src/model/log.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { arrival, draftFor } from "../../src/testing/engine-contract/builders.ts";
import { EngineProcess } from "./engine-process.ts";

/** SQLite's own default. */
const PAGE_BYTES = 4_096;
const settings = { window: { kind: "fixed", lengthMs: 0 } } as const;

let folder = "";
let file = "";
let copy = "";
const processes: EngineProcess[] = [];
const engines: Engine[] = [];
let logged: { event: string; fields: LogFields }[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-backup-"));
  file = join(folder, "lull.db");
  copy = join(folder, "copy.db");
  logged = [];
});

afterEach(async () => {
  await Promise.all(processes.splice(0).map((each) => each.kill()));
  await Promise.all(engines.splice(0).map((each) => each.close()));
  await rm(folder, { recursive: true });
});

async function openHere(at = file): Promise<Engine> {
  const engine = await sqlite({ file: at }).open({
    clock: systemClock,
    settings: settingsWith(settings),
    holder: "here",
    log: (_level, event, fields = {}) => void logged.push({ event, fields }),
    onArmed: () => {},
  });
  engines.push(engine);
  return engine;
}

function request(providerId: string, text = providerId) {
  return { arrival: arrival({ providerId, sender: providerId, text, arrivedAtMs: systemClock.nowMs() }) };
}

/** Many rows, written fast. */
function fill(megabytes: number): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  const add = database.prepare("INSERT INTO messages (conversation_id, at_ms, record) VALUES ('old', 0, ?)");
  const record = JSON.stringify({ role: "user", text: "x".repeat(10_000), media: [], atMs: 0, turnId: "t" });
  database.exec("BEGIN");
  for (let n = 0; n < megabytes * 100; n += 1) add.run(record);
  database.exec("COMMIT");
  database.close();
}

/**
 * Another process writes all the time, until it is told to stop. What it knows to be stored is in
 * `acknowledged`.
 */
async function writeOn(acknowledged: string[]) {
  const process = await EngineProcess.open(file, settings);
  processes.push(process);
  let isOver = false;
  const writing = (async () => {
    for (let n = 0; !isOver; n += 1) {
      await process.call("receiving", "stage", [request(`${acknowledged.length}-${n}`)]);
      acknowledged.push(`${acknowledged.length}-${n}`);
    }
  })();
  return async () => {
    isOver = true;
    await writing;
  };
}

async function damageLastPage(): Promise<void> {
  const handle = await openFile(file, "r+");
  const { size } = await handle.stat();
  await handle.write(Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, size - PAGE_BYTES);
  await handle.close();
}

function checked(at: string): unknown {
  const database = new DatabaseSync(at, { readOnly: true });
  const found = database
    .prepare("PRAGMA integrity_check")
    .all()
    .map((row) => Object.values(row)[0]);
  database.close();
  return found;
}

describe("a backup", () => {
  it("ends while another process writes all the time, in one go, with all acknowledged before", async () => {
    const here = await openHere();
    fill(60);
    const acknowledged: string[] = [];
    const stop = await writeOn(acknowledged);
    await here.receiving.stage([request("before")]);
    const before = acknowledged.slice();
    const done: number[] = [];
    await sqlite({ file }).backup!(copy, {
      atMs: systemClock.nowMs(),
      onProgress: (each, total) => void done.push(each / total),
    });
    const during = acknowledged.length - before.length;
    await stop();
    expect(during).toBeGreaterThan(0);
    expect(done.length).toBeGreaterThan(3);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(done.at(-1)).toBe(1);
    expect(checked(copy)).toEqual(["ok"]);
    expect((await readdir(folder)).filter((name) => name.startsWith("copy"))).toEqual(["copy.db"]);

    const restored = await openHere(copy);
    const known = [...before, "before"].map((id) => request(id));
    const again = await restored.receiving.stage(known);
    expect(again.filter(({ kind }) => kind !== "duplicate")).toEqual([]);
    expect((await here.inspector.counts()).staged).toBe(acknowledged.length + 1);
  });

  it("tells what it holds that would be answered again; so does the service that starts on it", async () => {
    const here = await openHere();
    await here.receiving.stage([request("drafted")]);
    const { outcomes } = await here.turns.takeDue(1, new AbortController().signal);
    const taken = outcomes[0]?.kind === "turn" ? outcomes[0].taken : undefined;
    await here.turns.draft(taken!.lease, draftFor(taken!));
    await here.receiving.stage([request("one"), request("two")]);
    const atMs = systemClock.nowMs();
    expect(await sqlite({ file }).backup!(copy, { atMs, onProgress: () => {} })).toEqual({
      staged: 3,
      drafts: 1,
    });
    await here.sweeping.sweep();
    const restored = () => logged.filter(({ event }) => event === "store.restored");
    expect(restored()).toEqual([]);
    const [first, second] = [await openHere(copy), await openHere(copy)];
    await first.inspector.counts();
    await first.sweeping.sweep();
    await second.sweeping.sweep();
    expect(restored()).toEqual([
      {
        event: "store.restored",
        fields: {
          backupAt: new Date(atMs).toISOString(),
          staged: 3,
          drafts: 1,
          detail: expect.stringContaining("erased since then are in it again"),
        },
      },
    ]);
  });

  it("of a few pages tells that it is done, too", async () => {
    await (await openHere()).ping();
    const told: number[][] = [];
    await sqlite({ file }).backup!(copy, { atMs: 0, onProgress: (...pages) => void told.push(pages) });
    const pages = (await stat(copy)).size / PAGE_BYTES;
    expect(told).toEqual([[pages, pages]]);
  });

  it("of a damaged file fails with a reason, and leaves the last backup and nothing beside it", async () => {
    const here = await openHere();
    await sqlite({ file }).backup!(copy, { atMs: 0, onProgress: () => {} });
    fill(1);
    await here.close();
    await damageLastPage();
    await expect(sqlite({ file }).backup!(copy, { atMs: 0, onProgress: () => {} })).rejects.toThrow(
      "damaged",
    );
    expect(checked(copy)).toEqual(["ok"]);
    expect((await readdir(folder)).filter((name) => name.startsWith("copy"))).toEqual(["copy.db"]);
  });

  it("that is told to stop does, and leaves the one that is there, and nothing beside it", async () => {
    await (await openHere()).ping();
    await sqlite({ file }).backup!(copy, { atMs: 0, onProgress: () => {} });
    fill(20);
    const stopping = new AbortController();
    const onProgress = () => stopping.abort(new Error("enough"));
    await expect(
      sqlite({ file }).backup!(copy, { atMs: 0, onProgress, signal: stopping.signal }),
    ).rejects.toThrow("enough");
    expect(checked(copy)).toEqual(["ok"]);
    expect((await readdir(folder)).filter((name) => name.startsWith("copy"))).toEqual(["copy.db"]);
  });

  it("is made where no other user can put a file in its way, or read it before it is whole", async () => {
    await (await openHere()).ping();
    fill(20);
    const copies = join(folder, "copies");
    mkdirSync(copies, { mode: 0o777 });
    chmodSync(copies, 0o1777);
    // What an attacker may have put there before, for the copy to be written into.
    writeFileSync(join(copies, "copy.db.part"), "");
    chmodSync(join(copies, "copy.db.part"), 0o666);
    const seen = new Set<string>();
    await sqlite({ file }).backup!(join(copies, "copy.db"), {
      atMs: 0,
      onProgress: () => {
        for (const entry of readdirSync(copies)) {
          const found = statSync(join(copies, entry));
          seen.add(`${found.isDirectory() ? "folder" : "file"} ${(found.mode & 0o777).toString(8)}`);
        }
      },
    });
    expect([...seen]).toEqual(["folder 700"]);
    expect(readdirSync(copies)).toEqual(["copy.db"]);
    expect((statSync(join(copies, "copy.db")).mode & 0o777).toString(8)).toBe("600");
  });

  it("of a file that is not there fails with a reason, and leaves nothing behind", async () => {
    await expect(sqlite({ file }).backup!(copy, { atMs: 0, onProgress: () => {} })).rejects.toThrow();
    await expect(access(copy)).rejects.toThrow();
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("the log of a file that another process read for long", () => {
  const bytes = async () => (await stat(`${file}-wal`)).size;

  /** Nothing of the log can be folded in before the reader ends. */
  async function growLog(): Promise<void> {
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM meta").get();
    fill(90);
    expect(await bytes()).toBeGreaterThan(LOG_BYTES_MAX);
    reader.close();
  }

  it("shrinks at the next sweep", async () => {
    const here = await openHere();
    await here.ping();
    await growLog();
    await here.sweeping.sweep();
    expect(await bytes()).toBeLessThan(LOG_BYTES_MAX);
    await here.ping();
  });

  it("shrinks while others go on writing, without a sweep", async () => {
    const here = await openHere();
    await here.ping();
    await growLog();
    for (let n = 0; n < 50 && (await bytes()) > LOG_BYTES_MAX; n += 1)
      await here.receiving.stage([request(`m${n}`)]);
    expect(await bytes()).toBeLessThanOrEqual(LOG_BYTES_MAX);
  });
});
