import { closeSync, fchmodSync, mkdirSync, openSync } from "node:fs";
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

/** Creates the folder, if it is missing, for its owner only. */
export function makeFolderOf(file: string): void {
  mkdirSync(dirname(resolve(file)), { recursive: true, mode: 0o700 });
}
