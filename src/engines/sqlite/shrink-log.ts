import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

/** A log is folded into the file every 16 MB. It is larger only after a long read: a backup, say. */
export const LOG_BYTES_MAX = 64_000_000;

/**
 * Gives back the disk space that the log took during a long read. SQLite writes a log over from its
 * beginning, but never shortens it by itself. While other processes are busy with it nothing happens: the
 * next sweep tries again.
 */
export function shrinkLog(database: DatabaseSync, file: string): void {
  const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= LOG_BYTES_MAX) return;
  // The first call does the long part and blocks no process; the second has little left to do then.
  const { log, checkpointed } = database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get() ?? {};
  if (log === checkpointed) database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}
