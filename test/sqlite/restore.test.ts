import { execFile } from "node:child_process";
import { appendFile, copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { settingsWith } from "../../src/core/defaults.ts";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import type { Engine, RestoreOptions } from "../../src/ports/engine.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { arrival } from "../../src/testing/engine-contract/builders.ts";

const RESTORING = fileURLToPath(new URL("restoring.ts", import.meta.url));

let folder = "";
let file = "";
let backup = "";
const engines: Engine[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-restore-"));
  file = join(folder, "lull.db");
  backup = join(folder, "backup.db");
});

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  await rm(folder, { recursive: true });
});

async function opened(at = file): Promise<Engine> {
  const engine = await sqlite({ file: at }).open({
    clock: systemClock,
    settings: settingsWith({}),
    holder: "here",
    log: () => {},
    onArmed: () => {},
  });
  engines.push(engine);
  return engine;
}

async function closed(): Promise<void> {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
}

/** A message that waits, from a customer of this name. */
async function write(sender: string): Promise<void> {
  const { receiving } = await opened();
  await receiving.stage([
    { arrival: arrival({ providerId: sender, sender, text: sender, arrivedAtMs: systemClock.nowMs() }) },
  ]);
  await closed();
}

async function customers(at = file): Promise<string[]> {
  const { items } = await (await opened(at)).inspector.conversations({ limit: 10 });
  await closed();
  return items.map(({ sender }) => sender).sort();
}

const OPTIONS: RestoreOptions = { atMs: Date.UTC(2026, 0, 2, 3, 4, 5), onProgress: () => {} };

function restore(given: Partial<RestoreOptions> = {}, from = backup) {
  return sqlite({ file }).restore!(from, { ...OPTIONS, ...given });
}

function backUp() {
  return sqlite({ file }).backup!(backup, { atMs: 1_700_000_000_000, onProgress: () => {} });
}

/** Ana's backup, and then Ben, who is not in it. */
async function anaThenBen(): Promise<void> {
  await write("ana");
  await backUp();
  await write("ben");
}

/** Another program writes to the backup. */
function spoilt(statements: string): undefined {
  const database = new DatabaseSync(backup);
  database.exec(statements);
  database.close();
}

const KEPT = "lull.db.before-restore-2026-01-02T03-04-05Z";

describe("a backup is put in place", () => {
  it("and the present file is kept under a dated name, whole; both are their owner's alone", async () => {
    await anaThenBen();
    const { contents, kept } = await restore();
    expect(contents).toMatchObject({
      conversations: 1,
      staged: 1,
      drafts: 0,
      deadLetters: 0,
      takenAtMs: 1_700_000_000_000,
      newestAtMs: expect.any(Number),
    });
    expect(kept).toBe(join(folder, KEPT));
    expect(await customers()).toEqual(["ana"]);
    expect(await customers(kept)).toEqual(["ana", "ben"]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).filter((name) => name.includes(".part"))).toEqual([]);
  });

  it("where there is no file yet, and a log that an earlier one left goes aside", async () => {
    await anaThenBen();
    await rm(file);
    await writeFile(`${file}-wal`, "of another file");
    expect(await restore()).not.toHaveProperty("kept");
    expect(await customers()).toEqual(["ana"]);
    expect(await readFile(join(folder, `${KEPT}-wal`), "utf8")).toBe("of another file");
  });

  it("what was in the present file's log is in the file that is kept", async () => {
    await anaThenBen();
    const crashed = new DatabaseSync(file);
    crashed.exec("INSERT INTO meta (key, value) VALUES ('late', 'in the log')");
    await copyFile(file, join(folder, "crashed.db"));
    await copyFile(`${file}-wal`, join(folder, "crashed.db-wal"));
    crashed.close();
    file = join(folder, "crashed.db");
    const { kept } = await restore();
    const old = new DatabaseSync(kept!);
    expect(old.prepare("SELECT value FROM meta WHERE key = 'late'").get()).toEqual({ value: "in the log" });
    old.close();
    expect(await readdir(folder)).not.toContain("crashed.db-wal");
  });

  it("with checkOnly nothing changes", async () => {
    await anaThenBen();
    const before = await readdir(folder);
    expect(await restore({ checkOnly: true })).toMatchObject({ contents: { conversations: 1 } });
    expect((await readdir(folder)).toSorted()).toEqual(before.toSorted());
    expect(await customers()).toEqual(["ana", "ben"]);
  });
});

describe("it is refused, and nothing changes,", () => {
  const refusals: readonly (readonly [
    why: string,
    spoil: () => Promise<string | undefined>,
    said: RegExp,
  ])[] = [
    ["while a service has the database open", async () => void (await opened()), /open in another process/],
    ["if it is not there", async () => join(folder, "missing.db"), /there is no file/],
    ["if it is the database itself", async () => file, /is the database itself/],
    [
      "if it is cut short",
      async () => void (await writeFile(backup, (await readFile(backup)).subarray(0, 40_000))),
      /cannot be restored/,
    ],
    ["if it is no database", async () => void (await writeFile(backup, "hello")), /cannot be restored/],
    [
      "if it is another program's",
      async () => {
        const other = new DatabaseSync(join(folder, "other.db"));
        other.exec("CREATE TABLE meta (key, value); PRAGMA user_version = 3");
        other.close();
        return join(folder, "other.db");
      },
      /another program's database/,
    ],
    [
      "if it has a trigger",
      async () =>
        spoilt("CREATE TRIGGER harmless AFTER INSERT ON staged BEGIN DELETE FROM conversations; END"),
      /it has a trigger \(harmless\)/,
    ],
    [
      "if it has a view",
      async () => spoilt("CREATE VIEW seen AS SELECT * FROM messages"),
      /it has a view \(seen\)/,
    ],
    [
      "if a table is a view",
      async () => spoilt("ALTER TABLE turns RENAME TO kept; CREATE VIEW turns AS SELECT * FROM kept"),
      /it has a view \(turns\)/,
    ],
    [
      "if a newer version wrote it",
      async () => {
        const newer = new DatabaseSync(backup);
        newer.exec("PRAGMA user_version = 99");
        newer.close();
        return undefined;
      },
      /newer version of lull \(schema 99/,
    ],
    [
      "if it is half a copy",
      async () => {
        await copyFile(backup, join(folder, "lull.db.part"));
        return join(folder, "lull.db.part");
      },
      /half a copy/,
    ],
    [
      "if a log lies beside it",
      async () => void (await appendFile(`${backup}-wal`, "log")),
      /without `lull backup`/,
    ],
  ];

  for (const [why, spoil, said] of refusals)
    it(why, async () => {
      await anaThenBen();
      const from = await spoil();
      await expect(restore({}, from)).rejects.toThrow(said);
      await closed();
      expect(await customers()).toEqual(["ana", "ben"]);
      expect((await readdir(folder)).filter((name) => /part-|before-restore/.test(name))).toEqual([]);
    });

  it("before a byte is copied where it is no database, or a service has the present file open", async () => {
    await anaThenBen();
    const copied: number[] = [];
    const onProgress = (done: number) => void copied.push(done);
    await opened();
    await expect(restore({ onProgress })).rejects.toThrow(/open in another process/);
    await closed();
    const given = [
      ["", /it is empty/],
      ["hello", /it is no database/],
    ] as const;
    for (const [text, said] of given) {
      await writeFile(backup, text);
      await expect(restore({ onProgress })).rejects.toThrow(said);
    }
    expect(copied).toEqual([]);
  });

  it("if a folder is where the database has to be", async () => {
    await anaThenBen();
    const present = file;
    file = folder;
    await expect(restore()).rejects.toThrow(/is no file: set LULL_DB/);
    file = present;
  });

  it("if the present file cannot be read; with force it is kept, and what lies beside it", async () => {
    await anaThenBen();
    await writeFile(file, "nothing that can be read");
    await writeFile(`${file}-wal`, "its log");
    await expect(restore()).rejects.toThrow(/cannot be read .* give --force/);
    expect(await restore({ force: true })).toHaveProperty("kept");
    expect(await customers()).toEqual(["ana"]);
    expect(await readFile(join(folder, `${KEPT}-wal`), "utf8")).toBe("its log");
  });
});

describe("killed at any step,", () => {
  function killedAt(step: number, force = ""): Promise<NodeJS.Signals | undefined> {
    return new Promise((resolve) => {
      const args = [RESTORING, file, backup, String(step), force];
      execFile(process.execPath, args, (error) => resolve(error?.signal ?? undefined));
    });
  }

  it("the old file or the new one is in place, whole, and the same command ends it", async () => {
    const seen = new Set<string>();
    for (let step = 1; ; step += 1) {
      for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
      await anaThenBen();
      const signal = await killedAt(step);
      const found = await customers();
      expect([["ana"], ["ana", "ben"]], `killed at step ${step}`).toContainEqual(found);
      seen.add(found.join());
      await restore();
      expect(await customers()).toEqual(["ana"]);
      const integrity = new DatabaseSync(file, { readOnly: true });
      expect(integrity.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
      integrity.close();
      if (signal === undefined) break;
    }
    expect(seen).toEqual(new Set(["ana", "ana,ben"]));
  });

  it("nothing of a file that cannot be read is ever beside the new one", async () => {
    for (let step = 1; ; step += 1) {
      for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
      await anaThenBen();
      await writeFile(file, "nothing that can be read");
      await writeFile(`${file}-wal`, "its log");
      const signal = await killedAt(step, "force");
      const isNew = (await readFile(file, "latin1")).startsWith("SQLite format 3");
      expect(isNew && (await readdir(folder)).includes("lull.db-wal"), `killed at step ${step}`).toBe(false);
      if (signal === undefined) break;
    }
  });
});
