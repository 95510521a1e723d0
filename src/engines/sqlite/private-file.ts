import { closeSync, fchmodSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes the file and its folder for their owner only, whatever the umask: it will hold what customers wrote.
 * SQLite gives the same rights to the files beside it. An existing file or folder stays as it is: an operator
 * may have opened it to others on purpose.
 */
export function makePrivateIfAbsent(file: string): void {
  makeFolderOf(file);
  try {
    makeNew(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** A file that must not exist yet: one that another user made would be theirs, contents and all. */
export function makeNew(file: string): void {
  const made = openSync(file, "wx", 0o600);
  try {
    fchmodSync(made, 0o600);
  } finally {
    closeSync(made);
  }
}

/**
 * Creates the folder, if it is missing, for its owner only. Step by step: told to make all of them, Node
 * tries for ever where a file system takes none, as `/proc`.
 */
export function makeFolderOf(file: string): void {
  makeFolder(dirname(resolve(file)));
}

function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (isFolder(folder)) return;
    const { code } = error as NodeJS.ErrnoException;
    throw Object.assign(new Error(`the folder ${folder} cannot be made (${code})`, { cause: error }), {
      code,
    });
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
