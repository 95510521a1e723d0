import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

/** A log is folded into the file every 16 MB. Where it is several times that, somebody read for a long time: a backup, say. */
export const LOG_BYTES_MAX = 64_000_000;

/**
 * Gives the disk back what the log took while somebody read. SQLite writes a log over from its beginning, but never shortens it by
 * itself. While others are in the middle of something nothing happens: the next sweep tries again.
 */
export function shrinkLog(database: DatabaseSync, file: string): void {
  const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= LOG_BYTES_MAX) return;
  // The first does the long part and stops nobody; the second has little left to do then.
  const { log, checkpointed } = database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get() ?? {};
  if (log === checkpointed) database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}
