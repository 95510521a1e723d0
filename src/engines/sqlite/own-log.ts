import { openSync, readSync, statSync } from "node:fs";
import { StoreUnavailable } from "../../errors.ts";

/** Where a database's first page says how it is read: 1 without a log beside it, 2 with one. */
const READ_VERSION_AT = 19;
const WITHOUT_LOG = 1;

/**
 * One for each file, and never closed: closing any descriptor of a file drops all of this process's locks on
 * it, SQLite's too, and the next process would take the log for an abandoned one.
 */
const descriptors = new Map<string, number>();

/**
 * Throws if a log lies beside a file that never had one: a backup was put in place while the former
 * database's log was left. SQLite would take that log for the file's own, and write pages of another time
 * into it.
 * Not to be called on a thread of ours: a thread's descriptors are closed when it ends.
 */
export function requireOwnLog(file: string): void {
  const log = `${file}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  if (readVersionOf(file) !== WITHOUT_LOG) return;
  throw new StoreUnavailable(
    `cannot open the database ${file}: ${log} belongs to another one. ` +
      `Move it and ${file}-shm away, then start again`,
  );
}

function readVersionOf(file: string): number | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (!found) return undefined;
  const name = `${found.dev}/${found.ino}`;
  const descriptor = descriptors.get(name) ?? openSync(file, "r");
  descriptors.set(name, descriptor);
  const byte = Buffer.alloc(1);
  return readSync(descriptor, byte, 0, 1, READ_VERSION_AT) === 1 ? byte[0] : undefined;
}
