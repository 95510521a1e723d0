import { DatabaseSync } from "node:sqlite";
import type { BackupReport, StoredInBackup } from "../../ports/engine.ts";
import { whileBusy } from "./connection.ts";

const NOTE = "backup_at_ms";

/** Checks a copy, and notes it as one. */
export function markBackup(copy: string, atMs: number): BackupReport {
  const database = new DatabaseSync(copy, { timeout: 0 });
  try {
    // One file and nothing beside it, until a service opens it.
    database.exec("PRAGMA journal_mode = DELETE");
    const [found] = Object.values(database.prepare("PRAGMA quick_check(1)").get() ?? {});
    if (found !== "ok")
      throw new Error("the copy is damaged, and so must be the database: keep the backups that you have");
    database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)").run(NOTE, String(atMs));
    return heldBy(database);
  } finally {
    database.close();
  }
}

export interface Restored extends BackupReport {
  /** In the form that `lull catch-up --since` takes. */
  readonly backupAt: string;
  readonly detail: string;
}

/** A backup cannot tell whom it brings back: of erased people nothing is kept. */
const BROUGHT_BACK =
  "people who were erased since then are in it again: erase them again, by the same ids or addresses";

/** Told once, to the first process that asks: this database is a backup that was put in place. */
export function restoredFrom(database: DatabaseSync): Restored | undefined {
  const isCopy = whileBusy(() => database.prepare("SELECT 1 FROM meta WHERE key = ?").get(NOTE));
  if (!isCopy) return undefined;
  const take = database.prepare("DELETE FROM meta WHERE key = ? RETURNING value");
  const note = whileBusy(() => take.get(NOTE));
  return note && { backupAt: timeIn(note.value), ...whileBusy(() => heldBy(database)), detail: BROUGHT_BACK };
}

/** What is in a file that is to be put in place. */
export function contentsOf(database: DatabaseSync): StoredInBackup {
  const one = (query: string) => Object.values(database.prepare(query).get() ?? {})[0];
  const note = one(`SELECT value FROM meta WHERE key = '${NOTE}'`);
  // An older file has no such column, or no such table: what it has of both is told.
  const newest = Math.max(
    ...[
      "SELECT max(committed_at_ms) FROM turns",
      "SELECT max(at_ms) FROM messages",
      "SELECT max(json_extract(item, '$.arrivedAtMs')) FROM staged WHERE json_valid(item)",
    ].map((query) => Number(one(query) ?? 0)),
  );
  return {
    ...heldBy(database),
    conversations: Number(one("SELECT count(*) FROM conversations")),
    deadLetters: Number(one("SELECT count(*) FROM dead_letters")),
    ...(note !== undefined && { takenAtMs: Number(note) }),
    ...(newest > 0 && { newestAtMs: newest }),
  };
}

function timeIn(note: unknown): string {
  const at = new Date(Number(note));
  return Number.isNaN(at.getTime()) ? "unknown" : at.toISOString();
}

/** What waits for an answer, or for its answer to be sent. If that came after the backup, it comes again. */
function heldBy(database: DatabaseSync): BackupReport {
  const row = database
    .prepare(
      `SELECT (SELECT count(*) FROM staged) AS staged, (SELECT count(*) FROM states
         WHERE CASE WHEN json_valid(state) THEN json_extract(state, '$.draft.turnId') END IS NOT NULL
       ) AS drafts`,
    )
    .get();
  return { staged: Number(row?.staged), drafts: Number(row?.drafts) };
}
