import { closeSync, openSync, readSync, statSync } from "node:fs";

/** Where a database's first page says how it is read: 1 without a log beside it, 2 with one. */
const READ_VERSION_AT = 19;
const WITHOUT_LOG = 1;

/**
 * Throws where a log lies beside a file that never had one: a backup that was put in place while the former database's log was left.
 * SQLite would take that log for the file's own, and write pages of another time into it.
 */
export function requireOwnLog(file: string): void {
  const log = `${file}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  if (readVersionOf(file) !== WITHOUT_LOG) return;
  throw new Error(`${log} belongs to another database: move it and ${file}-shm away, then start again`);
}

function readVersionOf(file: string): number | undefined {
  if (!statSync(file, { throwIfNoEntry: false })) return undefined;
  const descriptor = openSync(file, "r");
  try {
    const byte = Buffer.alloc(1);
    return readSync(descriptor, byte, 0, 1, READ_VERSION_AT) === 1 ? byte[0] : undefined;
  } finally {
    closeSync(descriptor);
  }
}
