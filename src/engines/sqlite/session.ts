import { DatabaseSync } from "node:sqlite";
import { StoreUnavailable } from "../../errors.ts";
import type { Tables } from "../embedded/tables.ts";
import { type ConnectionOptions, openConnection, Syncing, whileBusy } from "./connection.ts";
import { fileAt, OpenFile } from "./open-file.ts";
import { Quarantine } from "./quarantine.ts";
import { RowCache } from "./row-cache.ts";
import { Statements } from "./statements.ts";
import { sqliteTables } from "./tables.ts";

export interface SessionOptions extends ConnectionOptions {
  readonly nowMs: () => number;
}

/** An open file. */
export interface Session {
  readonly database: DatabaseSync;
  readonly syncing: Syncing;
  readonly sql: Statements;
  readonly tables: Tables;
  /** What its tables know of rows, without reading them. */
  readonly cache: RowCache;
  readonly quarantine: Quarantine;
  readonly file: OpenFile;
  /** Random, and made with the database: two files with the same salt are the same database at two times. */
  readonly salt: string;
}

export function openSession(options: SessionOptions): Session {
  for (;;) {
    const before = fileAt(options.file);
    const database = openConnection(options);
    let isTheOneMeant = false;
    try {
      const sql = new Statements(database);
      const { nowMs } = options;
      const salt = whileBusy(() => saltOf(database));
      const cache = new RowCache(() => sql.get("PRAGMA data_version")?.data_version);
      const quarantine = new Quarantine(database, sql, { nowMs, salt, cache });
      const tables = sqliteTables({ sql, quarantine, cache, nowMs, salt });
      const file = new OpenFile(options.file);
      // The path may have come to name another file before it was opened: then it is unknown which is open.
      isTheOneMeant = before === undefined || before === fileAt(options.file);
      if (isTheOneMeant)
        return { database, syncing: new Syncing(database), sql, tables, cache, quarantine, file, salt };
    } finally {
      if (!isTheOneMeant) database.close();
    }
  }
}

/**
 * Opens the file that stands where ours did, if it is the same database: a backup, or a file that was moved
 * through another disk. All of it is read first, without writing: an operator may still be copying it.
 */
export function reopenSession(options: SessionOptions, { salt }: Session): Session {
  const database = new DatabaseSync(options.file, { readOnly: true, timeout: 0 });
  try {
    const found = whileBusy(() => database.prepare("PRAGMA quick_check(1)").get());
    if (Object.values(found ?? {})[0] !== "ok")
      throw new StoreUnavailable(`${options.file} is damaged, or is still being copied`);
    if (whileBusy(() => saltOf(database)) !== salt)
      throw new StoreUnavailable(`${options.file} is another database now: restart lull if that is meant`);
  } finally {
    database.close();
  }
  return openSession(options);
}

function saltOf(database: DatabaseSync): string {
  return String(database.prepare("SELECT value FROM meta WHERE key = 'salt'").get()?.value);
}
