import { mkdtemp, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isRunning } from "../../process/identity.ts";

/**
 * `lull.db.part-4711-k3Yx9Q`, a folder: the process that writes it, and what `mkdtemp` adds. 0.1.0 had files:
 * `lull.db.part`.
 */
const HALF_COPY = /^(.+)\.part(?:-(\d+)-\w{6}|-journal|-wal|-shm)?$/;

/**
 * Makes a folder beside the future copy, in which the copy is written: other users who may write beside it
 * cannot put a file or a journal of their own in its way.
 */
export function makeRoomFor(file: string): Promise<string> {
  return mkdtemp(`${file}.part-${process.pid}-`);
}

/** What is left of unfinished copies. A process that was killed could not remove its own. */
export async function halfCopiesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => isDatabase(name) && !isBeingMade(name)).map((name) => join(folder, name));
}

/** Removes those of one file. One that belongs to another user cannot be removed, and does no harm. */
export async function removeHalfCopiesOf(file: string): Promise<void> {
  const names = await readdir(dirname(file)).catch(() => []);
  const old = names.filter((name) => HALF_COPY.exec(name)?.[1] === basename(file) && !isBeingMade(name));
  for (const name of old) await remove(join(dirname(file), name)).catch(() => {});
}

/** Whether a path names what an unfinished backup left, or lies in it. */
export function isHalfCopy(path: string): boolean {
  return HALF_COPY.test(basename(path)) || HALF_COPY.test(basename(dirname(path)));
}

export function remove(path: string): Promise<void> {
  // SQLite's thread may write a last time while the folder is being emptied.
  return rm(path, { recursive: true, force: true, maxRetries: 10 });
}

/** A browser's download is called `.part` as well. */
function isDatabase(name: string): boolean {
  const [, , process] = HALF_COPY.exec(name) ?? [];
  return process !== undefined || /\.db\.part(-journal|-wal|-shm)?$/.test(name);
}

/** Another process writes it. Our own id was an earlier process's: in a container each is number 1. */
function isBeingMade(name: string): boolean {
  const maker = Number(HALF_COPY.exec(name)?.[2]);
  return Number.isInteger(maker) && maker !== process.pid && isRunning(maker);
}
