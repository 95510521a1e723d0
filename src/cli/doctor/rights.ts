import { open, readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type CheckResult, warn } from "./check-result.ts";

/** What every SQLite file begins with. */
const SQLITE = "SQLite format 3\0";
/** What others than the owner may do. */
const OTHERS = 0o077;
/** An operator repairs a few by name, and then sees what the rest is. */
const NAMED_MAX = 10;

/**
 * Files that Lull creates are private to their owner; copied, unpacked or hand-made ones may be open to all.
 */
export async function checkRights(db: string, cwd: string): Promise<CheckResult[]> {
  const data = dirname(db);
  const backups = unique([join(data, "backups"), join(cwd, "backups")]);
  const copies = (await Promise.all([data, ...backups].map((folder) => databasesIn(folder, db)))).flat();
  const files = await openToOthers([db, `${db}-wal`, `${db}-shm`, ...copies]);
  // A project's folder is open to others, and so is a folder that is not ours.
  const own = unique([...(data === resolve(cwd) ? [] : [data]), ...backups]);
  const holding = own.filter((folder) => [db, ...copies].some((file) => dirname(file) === folder));
  const folders = await openToOthers(holding);
  return [
    ...told("others on this machine may read what customers wrote: chmod 600", files),
    ...told("others on this machine may enter folders with what customers wrote: chmod 700", folders),
  ];
}

function told(what: string, paths: readonly string[]): CheckResult[] {
  if (paths.length === 0) return [];
  const more = paths.length > NAMED_MAX ? ` (and ${paths.length - NAMED_MAX} more)` : "";
  return [warn("rights", `${what} ${paths.slice(0, NAMED_MAX).join(" ")}${more}`)];
}

async function openToOthers(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return paths.filter((_, at) => ((found[at]?.mode ?? 0) & OTHERS) !== 0);
}

/** Copies of the database, whatever they are called. */
async function databasesIn(folder: string, db: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
  const are = await Promise.all(files.map(isDatabase));
  return files.filter((file, at) => are[at] && file !== db).sort();
}

async function isDatabase(file: string): Promise<boolean> {
  try {
    const handle = await open(file);
    try {
      const { buffer } = await handle.read(Buffer.alloc(SQLITE.length), 0, SQLITE.length, 0);
      return buffer.toString("latin1") === SQLITE;
    } finally {
      await handle.close();
    }
  } catch {
    // What this user cannot read is not this user's to repair.
    return false;
  }
}

function unique(folders: readonly string[]): string[] {
  return [...new Set(folders.map((folder) => resolve(folder)))];
}
