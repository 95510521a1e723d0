import { open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import type { BackupOptions, BackupReport } from "../../ports/engine.ts";
import { isBusy, pause } from "./connection.ts";
import { makeRoomFor, remove, removeHalfCopiesOf } from "./half-copy.ts";
import { fileAt } from "./open-file.ts";
import { makeFolderOf, makeNew } from "./private-file.ts";
import { markBackup } from "./restored.ts";

/** Pages between two reports of progress: about 4 MB. */
const PAGES_AT_ONCE = 1_000;
/** How often, and how far apart, a file that another process holds is tried: ten seconds. */
const BUSY_ROUNDS_MAX = 2_000;
const BUSY_PAUSE_MS = 5;

/**
 * Copies the database as it is at this moment, while other processes go on writing. All of it is read in one
 * transaction: without it every commit of another process makes SQLite start the copy over, and under steady
 * traffic it would never end. The log grows meanwhile, and shrinks afterwards.
 */
export async function backUp(source: string, file: string, options: BackupOptions): Promise<BackupReport> {
  if (fileAt(file) !== undefined && fileAt(file) === fileAt(source))
    throw new Error(`${file} is the database itself: give its copy another name`);
  makeFolderOf(file);
  await removeHalfCopiesOf(file);
  const room = await makeRoomFor(file);
  try {
    const part = join(room, "copy.db");
    makeNew(part);
    await copyAsItIs(source, part, options);
    const report = markBackup(part, options.atMs);
    options.signal?.throwIfAborted();
    // It gets its own name only when it is whole and on disk: half a backup is worse than none.
    await sync(part);
    await rename(part, file);
    await sync(dirname(file));
    return report;
  } finally {
    await remove(room);
  }
}

/** Another process may hold the file for long. A signal is heard meanwhile. */
async function firstRead(database: DatabaseSync, signal: AbortSignal | undefined): Promise<void> {
  for (let round = 0; ; round += 1) {
    signal?.throwIfAborted();
    try {
      database.prepare("SELECT 1 FROM sqlite_schema").get();
      return;
    } catch (error) {
      if (!isBusy(error) || round >= BUSY_ROUNDS_MAX) throw error;
      pause(BUSY_PAUSE_MS);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

async function copyAsItIs(
  source: string,
  part: string,
  { onProgress, signal }: BackupOptions,
): Promise<void> {
  const database = new DatabaseSync(source, { readOnly: true, timeout: 0 });
  try {
    database.exec("BEGIN");
    // The first read fixes the moment that is copied.
    await firstRead(database, signal);
    const pages = await backup(database, part, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) => {
        onProgress(totalPages - remainingPages, totalPages);
        // An error thrown here ends the copy.
        signal?.throwIfAborted();
      },
    });
    // The last pages are copied without a call of `progress`.
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
