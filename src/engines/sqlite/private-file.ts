import { closeSync, fchmodSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes the file, and its folder, for their owner only, whatever the umask: it will hold what people wrote. SQLite gives the same rights to
 * what it keeps beside it. A file or folder that is there stays as it is: somebody may have opened it to others on purpose.
 */
export function makePrivateIfAbsent(file: string): void {
  makeFolderOf(file);
  try {
    makeNew(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** A file that must not be there yet: one that somebody else made would be theirs, with what is written into it. */
export function makeNew(file: string): void {
  const made = openSync(file, "wx", 0o600);
  try {
    fchmodSync(made, 0o600);
  } finally {
    closeSync(made);
  }
}

/** Where it is missing, for its owner only. */
export function makeFolderOf(file: string): void {
  mkdirSync(dirname(resolve(file)), { recursive: true, mode: 0o700 });
}
