import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readSeedFile } from "../../src/migrate/seed-wati/file.ts";
import { threadStore } from "./thread-store.ts";

let folder: string;
let source: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-migrate-"));
  source = join(folder, "thread_store.db");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const BUFFER = [{ waId: "50370000001", text: "Hola", at: "2026-01-01 10:00:00" }];

/** Every file in the folder, by its content; `-shm` holds no data, and whoever reads may make it anew. */
async function lying(): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => !name.endsWith("-shm")).sort();
  const hashes = names.map(async (name) => {
    const content = await readFile(join(folder, name));
    return [name, createHash("sha256").update(content).digest("hex")];
  });
  return Object.fromEntries(await Promise.all(hashes));
}

const contents = (file = source) =>
  readSeedFile(file).rows.message_buffer.map(({ content, message }) => content ?? message);

/** A bot that is killed while it does this. */
function killedBot(sql: string): void {
  const code = `
    const { DatabaseSync } = require("node:sqlite");
    new DatabaseSync(process.argv[1]).exec(process.argv[2]);
    process.kill(process.pid, "SIGKILL");`;
  const { signal, stderr } = spawnSync(process.execPath, ["-e", code, source, sql], { encoding: "utf8" });
  expect(signal, stderr).toBe("SIGKILL");
}

const HALF_A_WRITE = `PRAGMA cache_size = 2; BEGIN;
  DELETE FROM message_buffer;
  INSERT INTO message_buffer (wa_id, message_type, content)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    SELECT '50370000001', 'text', hex(randomblob(100)) FROM n`;

describe("the bot's file", () => {
  test("its tables and columns may be written in capitals", () => {
    const database = new DatabaseSync(source);
    database.exec(`CREATE TABLE Threads (WA_ID TEXT, Thread_Id TEXT);
      INSERT INTO Threads VALUES ('50370000001', 'thread_1');
      CREATE TABLE MESSAGE_BUFFER (Wa_Id TEXT, Message TEXT, "TimeStamp" TEXT);
      INSERT INTO MESSAGE_BUFFER VALUES ('50370000001', 'Hola', '2026-01-01 10:00:00');
      CREATE TABLE Processing_Lock (WA_ID TEXT)`);
    database.close();
    const { rows, lacks } = readSeedFile(source);
    expect(lacks).toEqual([]);
    expect(rows.threads).toMatchObject([{ wa_id: "50370000001", thread_id: "thread_1" }]);
    expect(rows.message_buffer).toMatchObject([
      { wa_id: "50370000001", message: "Hola", timestamp: "2026-01-01 10:00:00" },
    ]);
  });

  test("its tables may have no row numbers, or be views", () => {
    const database = new DatabaseSync(source);
    database.exec(`CREATE TABLE threads (wa_id TEXT PRIMARY KEY, thread_id TEXT) WITHOUT ROWID;
      INSERT INTO threads VALUES ('50370000001', 'thread_1');
      CREATE TABLE messages (wa_id TEXT, content TEXT);
      INSERT INTO messages VALUES ('50370000001', 'Hola');
      CREATE VIEW message_buffer AS SELECT * FROM messages;
      CREATE TABLE processing_lock (wa_id TEXT PRIMARY KEY, locked_at TEXT) WITHOUT ROWID`);
    database.close();
    expect(contents()).toEqual(["Hola"]);
    expect(readSeedFile(source).rows.threads).toHaveLength(1);
  });

  test("a view that cannot be read is told in one line", () => {
    const database = new DatabaseSync(source);
    database.exec(`CREATE TABLE old (wa_id TEXT, content TEXT);
      CREATE VIEW message_buffer AS SELECT * FROM old; DROP TABLE old`);
    database.close();
    expect(() => readSeedFile(source)).toThrow(/^cannot read .*: no such table: main\.old$/);
  });

  test("of a bot that was killed in the middle of a write, what stood before is read", async () => {
    threadStore(source, { buffer: BUFFER }).close();
    killedBot(HALF_A_WRITE);
    expect(existsSync(`${source}-journal`)).toBe(true);
    const before = await lying();
    expect(contents()).toEqual(["Hola"]);
    expect(await lying()).toEqual(before);
  });

  test("what a killed bot left in its log is read, and stays there", async () => {
    threadStore(source, {}).close();
    killedBot(`PRAGMA journal_mode = WAL;
      INSERT INTO message_buffer (wa_id, message_type, content) VALUES ('50370000001', 'text', 'Hola')`);
    expect(existsSync(`${source}-wal`)).toBe(true);
    const before = await lying();
    expect(contents()).toEqual(["Hola"]);
    expect(await lying()).toEqual(before);
  });

  test("a copy of the file and its log is read as it lies", async () => {
    threadStore(source, {}).close();
    killedBot(`PRAGMA journal_mode = WAL;
      INSERT INTO message_buffer (wa_id, message_type, content) VALUES ('50370000001', 'text', 'Hola')`);
    const copied = join(folder, "copy.db");
    for (const end of ["", "-wal"]) cpSync(`${source}${end}`, `${copied}${end}`);
    const before = await readdir(folder);
    expect(contents(copied)).toEqual(["Hola"]);
    expect(await readdir(folder)).toEqual(before);
  });

  test("nothing is made beside a file whose bot was stopped, nor through a link", async () => {
    const database = threadStore(source, { buffer: BUFFER });
    database.exec("PRAGMA journal_mode = WAL");
    database.close();
    const link = join(folder, "link.db");
    await symlink(source, link);
    const before = await readdir(folder);
    expect(contents()).toEqual(["Hola"]);
    expect(contents(link)).toEqual(["Hola"]);
    expect(await readdir(folder)).toEqual(before);
  });

  test.each(["WAL", "DELETE"])("of a running bot, what it has committed is read (%s)", (mode) => {
    const database = threadStore(source, { buffer: BUFFER });
    database.exec(`PRAGMA journal_mode = ${mode}; BEGIN IMMEDIATE; DELETE FROM message_buffer`);
    expect(contents()).toEqual(["Hola"]);
    database.exec("COMMIT");
    expect(contents()).toEqual([]);
    database.close();
  });
});
