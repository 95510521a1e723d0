import { createReadStream, createWriteStream, type Stats } from "node:fs";
import { chown, copyFile, link, open, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { LullError } from "../../errors.ts";
import type { RestoreOptions, RestoreReport, StoredInBackup } from "../../ports/engine.ts";
import { isHalfCopy, makeRoomFor, remove, removeHalfCopiesOf } from "./half-copy.ts";
import { fileAt } from "./open-file.ts";
import { makeFolderOf, makeNew } from "./private-file.ts";
import { contentsOf } from "./restored.ts";
import { whyNotOurs } from "./sound-file.ts";

/**
 * Checks a backup and puts it in the place of the database. What is put in place is a copy that was checked
 * itself, and it gets there by one rename: a process that opens the path finds the old file or the new one,
 * whole.
 */
export async function restore(file: string, backup: string, options: RestoreOptions): Promise<RestoreReport> {
  const { onStep } = options;
  await requireBackup(file, backup);
  if (!options.checkOnly) await requireFree(file, options);
  makeFolderOf(file);
  await removeHalfCopiesOf(file);
  const room = await makeRoomFor(file);
  try {
    const part = join(room, "copy.db");
    makeNew(part);
    await copyWhole(backup, part, options);
    onStep?.("checking");
    const contents = check(part, backup);
    options.signal?.throwIfAborted();
    if (options.checkOnly) return { contents };
    await sync(part);
    await asOwned(part, file);
    onStep?.("checked");
    const kept = await putInPlace(file, part, options);
    return { contents, ...(kept !== undefined && { kept }) };
  } finally {
    await remove(room);
  }
}

async function requireBackup(file: string, backup: string): Promise<void> {
  const found = await stat(backup).catch(() => undefined);
  if (found === undefined) throw refused(`there is no file ${backup}`);
  if (!found.isFile()) throw refused(`${backup} is no file`);
  if (fileAt(backup) === fileAt(file)) throw refused(`${backup} is the database itself`);
  if (isHalfCopy(backup)) throw refused(`${backup} is half a copy: the backup that wrote it was killed`);
  const log = await stat(`${backup}-wal`).catch(() => undefined);
  if (log !== undefined && log.size > 0)
    throw refused(
      `${backup}-wal lies beside it: this is a copy of a database in use, made without \`lull backup\`, ` +
        "and no one knows whether the two belong together",
    );
  if (found.size === 0) throw refused(`${backup} cannot be restored: it is empty. Take another backup`);
  const begins = await beginsAsDatabase(backup).catch((error: NodeJS.ErrnoException) => {
    throw refused(`${backup} cannot be read (${error.code}): let this user read it, or take a copy`);
  });
  if (!begins) throw refused(`${backup} cannot be restored: it is no database. Take another backup`);
}

/** A large backup is not copied for nothing: looked at again, and held, once the copy is whole. */
async function requireFree(file: string, options: RestoreOptions): Promise<void> {
  const present = await stat(file).catch(() => undefined);
  if (present === undefined) return;
  if (!present.isFile()) throw refused(`${file} is no file: set LULL_DB (--db) to the database's path`);
  (await hold(file, options))?.close();
}

function refused(why: string): LullError {
  return new LullError(why, { code: "INVALID_BACKUP", retry: "never" });
}

async function copyWhole(
  backup: string,
  part: string,
  { onProgress, signal }: RestoreOptions,
): Promise<void> {
  const { size } = await stat(backup);
  let done = 0;
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      done += chunk.length;
      onProgress(done, size);
      next(null, chunk);
    },
  });
  const target = createWriteStream(part, { flags: "r+" });
  await pipeline(createReadStream(backup), counting, target, ...(signal ? [{ signal }] : [])).catch(
    (error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    },
  );
}

/** What is in it; throws if it must not be put in place. */
function check(part: string, backup: string): StoredInBackup {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(part, { timeout: 0 });
    const why = whyNotOurs(database);
    if (why !== undefined) throw refused(`${backup} cannot be restored: ${why}`);
    // One file and nothing beside it, until a service opens it: no log of another can be taken for its own.
    database.exec("PRAGMA journal_mode = DELETE");
    return contentsOf(database);
  } catch (error) {
    if (error instanceof LullError) throw error;
    throw refused(`${backup} cannot be restored: ${(error as Error).message}`);
  } finally {
    database?.close();
  }
}

/** The service's user is often not the operator's: a file that root owns would keep it out. */
async function asOwned(part: string, file: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const like: Stats = await stat(file).catch(() => stat(dirname(file)));
  await chown(part, like.uid, like.gid);
}

/** Where the present file is kept, if there is one. */
async function putInPlace(file: string, part: string, options: RestoreOptions): Promise<string | undefined> {
  const { onStep, atMs } = options;
  const aside = `${file}.before-restore-${stampOf(atMs)}`;
  if (fileAt(file) === undefined) {
    await moveLogAside(file, aside);
    onStep?.("moved aside");
    await rename(part, file);
    await sync(dirname(file));
    return undefined;
  }
  const held = await hold(file, options);
  try {
    await keep(file, aside);
    onStep?.("kept");
    // Of a file that could not be read: what lies beside it would be taken for the new file's own.
    if (!held) await moveLogAside(file, aside);
    onStep?.("alone");
    await rename(part, file);
    await sync(dirname(file));
    onStep?.("in place");
    return aside;
  } finally {
    held?.close();
  }
}

/**
 * Folds the log into the present file, which only works while no other process has it open, and holds it: a
 * service that starts now finds it locked. Undefined if the present file cannot be read.
 */
async function hold(file: string, { force }: RestoreOptions): Promise<DatabaseSync | undefined> {
  const unreadable = (why: string) =>
    refused(
      `the present ${file} cannot be read (${why}), so no one knows whether a service has it open: ` +
        "stop it, and give --force",
    );
  // SQLite removes the log of a file without a page of its own.
  if (!(await beginsAsDatabase(file))) {
    if (force) return undefined;
    throw unreadable("it is no database");
  }
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec("PRAGMA journal_mode = DELETE");
    // Not an exclusive locking mode, which keeps a journal at the path.
    database.exec("BEGIN EXCLUSIVE");
    // A process that came in between has made a log again.
    const [mode] = Object.values(database.prepare("PRAGMA journal_mode").get() ?? {});
    if (mode !== "delete") throw refused(inUse(file));
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof LullError) throw error;
    const { errcode, message } = error as { errcode?: number; message: string };
    if (isBusy(errcode)) throw refused(inUse(file));
    if (force) return undefined;
    throw unreadable(message);
  }
}

async function beginsAsDatabase(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.toString("latin1") === "SQLite format 3\0";
  } finally {
    await handle.close();
  }
}

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;

function isBusy(errcode: number | undefined): boolean {
  const primary = (errcode ?? 0) & 0xff;
  return primary === SQLITE_BUSY || primary === SQLITE_LOCKED;
}

function inUse(file: string): string {
  return `${file} is open in another process: stop the service first, and any backup that runs`;
}

/** A second name for the same file: at no moment is the path without one. */
async function keep(file: string, aside: string): Promise<void> {
  await link(file, aside).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST") throw refused(`${aside} is there already: wait a second`);
    // A file system without second names: a copy takes longer, and comes to the same.
    const part = `${aside}.part`;
    await copyFile(file, part);
    await sync(part);
    await rename(part, aside);
  });
  await sync(dirname(file));
}

/** A log beside the new file would be taken for its own. */
async function moveLogAside(file: string, aside: string): Promise<void> {
  for (const ending of ["-wal", "-journal"]) await rename(file + ending, aside + ending).catch(ignoreMissing);
  await unlink(`${file}-shm`).catch(ignoreMissing);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

/** As it is written in a file's name: without colons, which not every system takes. */
function stampOf(atMs: number): string {
  return new Date(atMs)
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(":", "-");
}

async function sync(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
