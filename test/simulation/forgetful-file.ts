import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import type { EngineProvider } from "../../src/ports/engine.ts";
import type { EngineRun } from "../../src/testing/simulator/simulation-run.ts";

/** As SQLite reports it: a commit is on disk when it returns. */
const FULL = 2;
/** From here on SQLite folds the log into the file, and its length no longer tells what was synced. */
const LOG_BYTES_MAX = 4_000 * 4_096;

/** For each file that is written, how long its log was when something was committed and not synced. */
const syncedBytes = new Map<string, number | undefined>();

/** Called around every commit of this process. The connection itself is asked, not who should have set it. */
function commit(database: DatabaseSync, done: () => void): void {
  const file = database.location() ?? "";
  const isSynced = database.prepare("PRAGMA synchronous").get()?.synchronous === FULL;
  const before = lengthOf(`${file}-wal`);
  done();
  if (isSynced) syncedBytes.delete(file);
  else if (!syncedBytes.has(file)) syncedBytes.set(file, before);
}

function lengthOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

let isWatching = false;
function watchCommits(): void {
  if (isWatching) return;
  isWatching = true;
  const exec = DatabaseSync.prototype.exec;
  DatabaseSync.prototype.exec = function (sql) {
    if (sql === "COMMIT") commit(this, () => exec.call(this, sql));
    else exec.call(this, sql);
  };
}

/** What a disk would hold of `file` after a power cut, put to another path. */
function putSynced(file: string, to: string): void {
  const length = syncedBytes.get(file);
  const log = `${file}-wal`;
  if (lengthOf(log) >= LOG_BYTES_MAX) throw new Error("this run writes more than a log holds: cut it short");
  copyFileSync(file, to);
  copyFileSync(log, `${to}-wal`);
  if (length !== undefined) truncateSync(`${to}-wal`, length);
}

export interface ForgetfulFiles {
  readonly engine: (run: EngineRun) => EngineProvider;
  end(): void;
}

/**
 * Files of which a power cut leaves what was synced, and no more: SQLite appends to its log, so that is all
 * up to where the log ended before the first commit that was not synced. Processes that are dead by then keep
 * the file that they had open; those that start get the one that is left.
 */
export function forgetfulFiles(): ForgetfulFiles {
  watchCommits();
  // Memory that looks like a disk, where there is one: there it costs nothing to sync.
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "lull-simulation-"));
  let files = 0;
  let ours: string[] = [];
  const nextFile = () => {
    files += 1;
    ours.push(join(folder, `${files}.db`));
    return ours.at(-1)!;
  };
  const removeOurs = () => {
    for (const file of ours.splice(0)) {
      syncedBytes.delete(file);
      for (const ending of ["", "-wal", "-shm"]) rmSync(file + ending, { force: true });
    }
  };
  return {
    engine({ onPowerCut }) {
      removeOurs();
      let file = nextFile();
      onPowerCut(() => {
        if (!syncedBytes.has(file)) return;
        const left = nextFile();
        putSynced(file, left);
        file = left;
      });
      const provider = () => sqlite({ file, writer: "inline", synchronous: "full" });
      return { name: "sqlite", open: (context) => provider().open(context) };
    },
    end() {
      ours = [];
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
