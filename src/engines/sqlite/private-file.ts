import { closeSync, fchmodSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes the file, and its folder, for their owner only, whatever the umask: it will hold what people wrote. SQLite gives the same rights to
 * what it keeps beside it. Throws where something of that name is there, also a link to somewhere: it may be open to others, or theirs.
 */
export function makePrivate(file: string): void {
  mkdirSync(dirname(resolve(file)), { recursive: true, mode: 0o700 });
  const made = openSync(file, "wx");
  try {
    fchmodSync(made, 0o600);
  } finally {
    closeSync(made);
  }
}

/** A file or folder that is there stays as it is: somebody may have opened it to others on purpose. */
export function makePrivateIfAbsent(file: string): void {
  try {
    makePrivate(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
