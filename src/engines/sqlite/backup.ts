import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import type { BackupOptions, BackupReport } from "../../ports/engine.ts";
import { whileBusy } from "./connection.ts";
import { fileAt } from "./open-file.ts";
import { makePrivate } from "./private-file.ts";
import { markBackup } from "./restored.ts";

/** Pages between two words of progress: about 4 MB. */
const PAGES_AT_ONCE = 1_000;

/**
 * Copies the database as it is at this moment, while others go on writing. All of it is read in one transaction: without it every
 * commit of another process makes SQLite start the copy over, and under steady traffic it never ends. The log grows meanwhile, and
 * shrinks afterwards.
 */
export async function backUp(source: string, file: string, options: BackupOptions): Promise<BackupReport> {
  if (fileAt(file) !== undefined && fileAt(file) === fileAt(source))
    throw new Error(`${file} is the database itself: give its copy another name`);
  const part = `${file}.part`;
  await rm(part, { force: true });
  // Outside of what is cleared up after: if somebody made one meanwhile, it is theirs.
  makePrivate(part);
  try {
    await copyAsItIs(source, part, options.onProgress);
    const report = markBackup(part, options.atMs);
    // Under its own name only when it is whole, and on disk: half a backup is worse than none.
    await sync(part);
    await rename(part, file);
    await sync(dirname(file));
    return report;
  } catch (error) {
    for (const ending of ["", "-journal", "-wal", "-shm"]) await rm(part + ending, { force: true });
    throw error;
  }
}

async function copyAsItIs(
  source: string,
  part: string,
  onProgress: BackupOptions["onProgress"],
): Promise<void> {
  const database = new DatabaseSync(source, { readOnly: true, timeout: 0 });
  try {
    database.exec("BEGIN");
    // The first read decides which moment it is.
    whileBusy(() => database.prepare("SELECT 1 FROM sqlite_schema").get());
    const pages = await backup(database, part, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) => onProgress(totalPages - remainingPages, totalPages),
    });
    // The last pages are copied without a word.
    onProgress(pages, pages);
  } finally {
    database.close();
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
