import { closeSync, fchmodSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes the file, and its folder, for their owner only, whatever the umask: it will hold what people wrote. SQLite gives the same rights to
 * what it keeps beside it. A file or folder that is there stays as it is: somebody may have opened it to others on purpose.
 */
export function makePrivate(file: string): void {
  mkdirSync(dirname(resolve(file)), { recursive: true, mode: 0o700 });
  try {
    const made = openSync(file, "wx");
    fchmodSync(made, 0o600);
    closeSync(made);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
