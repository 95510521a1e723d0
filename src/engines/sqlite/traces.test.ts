import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { settingsWith } from "../../core/defaults.ts";
import type { Engine } from "../../ports/engine.ts";
import { allSent, arrival, draftFor, replied } from "../../testing/engine-contract/builders.ts";
import { type FakeClock, fakeClock } from "../../testing/fake-clock.ts";
import { openConnection, transact } from "./connection.ts";
import { sqlite } from "./index.ts";
import { Statements } from "./statements.ts";
import { noteErased, removeTraces, rewrite, tracesLeft } from "./traces.ts";

let folder = "";
let file = "";
let clock: FakeClock;
let engine: Engine;
let told: string[];
let count = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-traces-"));
  file = join(folder, "lull.db");
  clock = fakeClock();
  told = [];
  engine = await sqlite({ file }).open({
    clock,
    settings: settingsWith({}),
    holder: "here",
    log: (_level, event, fields) => void told.push(`${event} ${fields?.reason ?? ""}`),
    onArmed: () => {},
  });
});

afterEach(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

/** Writes, is answered, and says which conversation it was. */
async function talk(sender: string, text: string): Promise<string> {
  count += 1;
  const message = arrival({ providerId: `m${count}`, sender, text, arrivedAtMs: clock.nowMs() });
  await engine.receiving.stage([{ arrival: message }]);
  await clock.advance(10_000);
  const { outcomes } = await engine.turns.takeDue(100, new AbortController().signal);
  for (const outcome of outcomes) {
    if (outcome.kind !== "turn") continue;
    const { taken } = outcome;
    await engine.turns.commit(taken.lease, replied(taken, allSent(draftFor(taken, `to ${text}`))));
  }
  const { items } = await engine.inspector.conversations({ limit: 1, search: sender });
  return items[0]!.id;
}

async function filesWith(text: string): Promise<string[]> {
  const names = (await readdir(folder)).toSorted();
  const contents = await Promise.all(names.map((name) => readFile(join(folder, name), "latin1")));
  return names.filter((_, at) => contents[at]!.includes(text));
}

describe("after a person is erased", () => {
  it("the log is emptied once its readers are done; until then it is reported as left", async () => {
    const id = await talk("+15550101", "SECRET");
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM messages").get();

    expect(await engine.conversations.erase(id)).toBe("erasing");
    expect(await engine.inspector.conversation(id)).toBeUndefined();
    expect(await filesWith("SECRET")).toEqual(["lull.db-wal"]);
    expect(told).toContain("store.traces-left another process reads the log: a later sweep tries again");
    expect(await engine.checks?.()).toMatchObject([{ check: "erased", verdict: "warn" }]);

    reader.close();
    await clock.advance(60_000);
    await engine.sweeping.sweep();
    expect(await filesWith("SECRET")).toEqual([]);
    expect(await filesWith("+15550101")).toEqual([]);
    expect(told).toContain("store.traces-removed ");
    expect(await engine.checks?.()).toEqual([]);
  });

  it("the file is rewritten once, however long the reader stays", async () => {
    for (let n = 0; n < 30; n += 1) await talk(`+155502${n}`, "x".repeat(2_000));
    const id = await talk("+15550101", "SECRET");
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM messages").get();
    await engine.conversations.erase(id);
    const { size: before } = await stat(`${file}-wal`);
    for (let round = 0; round < 5; round += 1) {
      await clock.advance(60_000);
      await engine.sweeping.sweep();
    }
    const grown = (await stat(`${file}-wal`)).size - before;
    // What the sweeps themselves write, and no second copy of the file.
    const { page_count: pages } = reader.prepare("PRAGMA page_count").get()!;
    expect(grown).toBeLessThan((Number(pages) * 4_096) / 2);
    reader.close();
    await clock.advance(60_000);
    await engine.sweeping.sweep();
    expect(await filesWith("SECRET")).toEqual([]);
    expect(await engine.checks?.()).toEqual([]);
  });

  it("and once more when another person is erased meanwhile", async () => {
    const [first, second] = [await talk("+15550101", "SECRET-1"), await talk("+15550102", "SECRET-2")];
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM messages").get();
    await engine.conversations.erase(first);
    await engine.conversations.erase(second);
    reader.close();
    await clock.advance(60_000);
    await engine.sweeping.sweep();
    expect(await filesWith("SECRET")).toEqual([]);
    expect(await engine.checks?.()).toEqual([]);
  });

  it("nothing is left of what an earlier version deleted without overwriting it", async () => {
    const id = await talk("+15550101", "hi");
    const before = new DatabaseSync(file, { timeout: 5_000 });
    before.exec("PRAGMA secure_delete = off");
    const insert = before.prepare(
      "INSERT INTO messages (conversation_id, at_ms, record) VALUES ('c_0', 0, ?)",
    );
    for (let number = 0; number < 50; number += 1) insert.run(`SECRET ${"x".repeat(number * 200)}`);
    before.exec("DELETE FROM messages WHERE conversation_id = 'c_0'; PRAGMA wal_checkpoint(TRUNCATE)");
    before.close();
    expect(await filesWith("SECRET")).toEqual(["lull.db"]);
    expect(await engine.conversations.erase(id)).toBe("erased");
    expect(await filesWith("SECRET")).toEqual([]);
  });

  it("nothing is left of rows that were moved between pages before, however many people stay", async () => {
    const people = Array.from({ length: 120 }, (_, at) => ({ phone: `+1555${7_000_000 + at * 7_919}`, at }));
    const ids: string[] = [];
    for (const { phone, at } of people)
      ids.push(await talk(phone, `SECRET-${at}- ${"x".repeat((at * 37) % 900)}`));
    for (const { phone, at } of people) await talk(phone, `SECRET-${at}- again`);
    for (const [at, id] of ids.entries()) if (at % 3 > 0) await engine.conversations.erase(id);
    const left = await readFile(file, "latin1");
    const found = people.filter(({ phone, at }) => left.includes(phone) || left.includes(`SECRET-${at}-`));
    expect(found.map(({ at }) => at)).toEqual(people.map(({ at }) => at).filter((at) => at % 3 === 0));
  });

  it("a copy that is made of the database then holds nothing of them", async () => {
    const id = await talk("+15550101", "SECRET");
    await engine.conversations.erase(id);
    await sqlite({ file }).backup!(join(folder, "copy.db"), { atMs: 0, onProgress: () => {} });
    expect([await filesWith("SECRET"), await filesWith("+15550101")]).toEqual([[], []]);
  });
});

describe("a file that is too large to be written anew at once", () => {
  it("keeps its note, with an empty log, until an operator compacts it", async () => {
    await talk("+15550101", "hi");
    const database = openConnection({ file, synchronous: "full" });
    const sql = new Statements(database);
    transact(database, () => noteErased(sql));
    const why = "the file is large: run `lull compact` when it is quiet";
    expect(removeTraces(database, 4_096)).toEqual({ kind: "left", why });
    expect((await readFile(`${file}-wal`)).length).toBe(0);
    expect(tracesLeft(sql, 4_096)).toBe(why);
    expect(await sqlite({ file }).compact?.()).toMatchObject({ isClean: true });
    expect(tracesLeft(sql, 4_096)).toBeUndefined();
    expect(removeTraces(database, 4_096)).toEqual({ kind: "nothing" });
    database.close();
  });

  it("is compacted beside a reader; a later sweep empties the log without rewriting the file", async () => {
    const id = await talk("+15550101", "SECRET");
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM messages").get();
    await engine.conversations.erase(id);
    const database = openConnection({ file, synchronous: "full" });
    // As if it were too large for a sweep.
    database.exec("DELETE FROM meta WHERE key = 'rewritten_mark'");
    const done = database.exec.bind(database);
    const rewrites: string[] = [];
    database.exec = (text) => {
      if (text === "VACUUM") rewrites.push(text);
      done(text);
    };
    expect(rewrite(database, 3)).toBe(false);
    const why = "another process reads the log: a later sweep tries again";
    expect(removeTraces(database, 4_096)).toEqual({ kind: "left", why });
    expect(tracesLeft(new Statements(database), 4_096)).toBe(why);
    reader.close();
    expect(removeTraces(database, 4_096)).toEqual({ kind: "removed" });
    expect(rewrites).toHaveLength(1);
    expect(await filesWith("SECRET")).toEqual([]);
    database.close();
  });
});

it("a person who was erased while the file was rewritten keeps a note of their own", async () => {
  const database = openConnection({ file, synchronous: "full" });
  const sql = new Statements(database);
  const erase = () => transact(database, () => noteErased(sql));
  erase();
  const exec = database.exec.bind(database);
  database.exec = (text) => {
    exec(text);
    if (text === "VACUUM") erase();
  };
  expect(removeTraces(database)).toEqual({ kind: "removed" });
  expect(tracesLeft(sql)).toBe("the next sweep removes them");
  database.close();
});
