import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { StoreUnavailable } from "../../errors.ts";

/** The seed's program may run meanwhile, and writes a few times a second. */
const BUSY_MS = 5_000;

/** What SQLite keeps beside a file until it is part of it. `-shm` can be made from them. */
const BESIDE = ["-journal", "-wal"];

const MIDWAY = "it was written to while it was copied: stop the bot, and run this again";

/**
 * Looks at the file in one read transaction and leaves it as it is, with all that lies beside it. Only a bot
 * that ended in the middle of a write leaves what has to be put right before it can be read: that is done on
 * a copy, which is removed.
 */
export function withSeedFile<T>(given: string, look: (database: DatabaseSync) => T): T {
  // What lies beside it lies beside the file itself, not beside a link to it.
  const file = realpathSync(given);
  try {
    if (!isInLogMode(file) || sizeOf(`${file}-shm`) !== undefined) return lookAt(file, true, look);
    // No process has it open. SQLite would make files beside it, and leave them there.
    return sizeOf(`${file}-wal`) ? onCopy(file, look) : lookAt(asItLies(file), true, look);
  } catch (error) {
    if (needsRepair(error)) return orTell(file, () => onCopy(file, look));
    throw told(file, error);
  }
}

function orTell<T>(file: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw told(file, error);
  }
}

function told(file: string, error: unknown): StoreUnavailable {
  const why = error instanceof Error ? error.message : String(error);
  const advice = /database is locked/.test(why) ? ": stop the bot, or run this again" : "";
  return new StoreUnavailable(`cannot read ${file} as the seed's SQLite file: ${why}${advice}`, error);
}

function lookAt<T>(path: string | URL, readOnly: boolean, look: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path, { readOnly, timeout: BUSY_MS });
  try {
    database.exec("BEGIN");
    return look(database);
  } finally {
    database.close();
  }
}

function asItLies(file: string): URL {
  const url = pathToFileURL(file);
  url.searchParams.set("immutable", "1");
  return url;
}

/** Whether commits go to a log beside the file first: the file's header says so. */
function isInLogMode(file: string): boolean {
  const header = Buffer.alloc(20);
  const opened = openSync(file, "r");
  try {
    readSync(opened, header, 0, header.length, 0);
  } finally {
    closeSync(opened);
  }
  return header[18] === 2;
}

/** SQLITE_READONLY and SQLITE_CANTOPEN: a transaction has to be undone, or a log read, and we may not. */
function needsRepair(error: unknown): boolean {
  const { errcode } = Object(error) as { errcode?: unknown };
  return typeof errcode === "number" && [8, 14].includes(errcode & 0xff);
}

function onCopy<T>(file: string, look: (database: DatabaseSync) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "lull-seed-wati-"));
  try {
    const copy = join(folder, basename(file));
    const before = stateOf(file);
    copyFileSync(file, copy);
    for (const end of BESIDE)
      if (sizeOf(`${file}${end}`) !== undefined) copyFileSync(`${file}${end}`, `${copy}${end}`);
    if (stateOf(file) !== before) throw new Error(MIDWAY);
    return lookAt(copy, false, look);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function stateOf(file: string): string {
  const parts = ["", ...BESIDE].map((end) => {
    const found = statSync(`${file}${end}`, { bigint: true, throwIfNoEntry: false });
    return found && [found.size, found.mtimeNs, found.ino].join();
  });
  return parts.join(";");
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}
