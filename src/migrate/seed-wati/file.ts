import type { DatabaseSync } from "node:sqlite";
import { withSeedFile } from "./open-file.ts";
import type { SeedRow } from "./rows.ts";

/** The tables of `thread_store.db` that are looked at, and the columns without which they are of no use. */
const NEEDED = {
  threads: ["wa_id", "thread_id"],
  message_buffer: ["wa_id"],
  processing_lock: ["wa_id"],
} as const;

const WANTED = {
  threads: ["wa_id", "thread_id", "conversation_id", "last_response_id"],
  message_buffer: ["wa_id", "message_type", "content", "message", "caption", "reply_context_id", "timestamp"],
  processing_lock: ["wa_id", "locked_at"],
} as const;

type SeedTable = keyof typeof NEEDED;

/** What the file holds, read at one moment. */
export interface SeedFile {
  readonly rows: Readonly<Record<SeedTable, readonly SeedRow[]>>;
  /** What was looked for and is not there, in words. */
  readonly lacks: readonly string[];
}

/** Reads the file, and changes nothing in it: all tables in one read transaction. */
export function readSeedFile(file: string): SeedFile {
  return withSeedFile(file, readTables);
}

function readTables(database: DatabaseSync): SeedFile {
  const lacks: string[] = [];
  const read = (table: SeedTable): readonly SeedRow[] => {
    const columns = columnsOf(database, table);
    if (columns.size === 0) {
      lacks.push(`there is no table ${table}`);
      return [];
    }
    const missing: string[] = NEEDED[table].filter((name) => !columns.has(name));
    if (table === "message_buffer" && !columns.has("content") && !columns.has("message"))
      missing.push("content");
    if (missing.length > 0) {
      lacks.push(`table ${table} has no column ${missing.join(", ")}`);
      return [];
    }
    if (table === "message_buffer" && !columns.has("timestamp"))
      lacks.push("table message_buffer has no column timestamp: its rows go in the order in which they lie");
    return allOf(database, table, columns);
  };
  return {
    rows: {
      threads: read("threads"),
      message_buffer: read("message_buffer"),
      processing_lock: read("processing_lock"),
    },
    lacks,
  };
}

/** The columns by the names that we know: SQLite takes `WA_ID` and `wa_id` for the same. */
function columnsOf(database: DatabaseSync, table: SeedTable): ReadonlyMap<string, string> {
  const found = database.prepare(`PRAGMA table_xinfo("${table}")`).all();
  const wanted = new Set<string>(WANTED[table]);
  const names = found.map(({ name }) => [String(name).toLowerCase(), String(name)] as const);
  return new Map(names.filter(([name]) => wanted.has(name)));
}

/** In the order of their writing. A number that JavaScript cannot hold must not end the read. */
function allOf(
  database: DatabaseSync,
  table: SeedTable,
  columns: ReadonlyMap<string, string>,
): readonly SeedRow[] {
  const listed = [...columns].map(([name, written]) => `"${written}" AS "${name}"`);
  const select = hasRowNumbers(database, table)
    ? `SELECT rowid AS "rowid", ${listed} FROM "${table}" ORDER BY rowid`
    : `SELECT ${listed} FROM "${table}"`;
  const statement = database.prepare(select);
  statement.setReadBigInts(true);
  return statement.all();
}

/** A view has none, nor has a table WITHOUT ROWID: its rows come in the order of its key. */
function hasRowNumbers(database: DatabaseSync, table: SeedTable): boolean {
  const about = database.prepare(
    "SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE",
  );
  const found = about.get(table);
  return found?.type === "table" && found.wr === 0;
}
