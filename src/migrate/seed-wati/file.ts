import { DatabaseSync } from "node:sqlite";
import { StoreUnavailable } from "../../errors.ts";
import type { SeedRow } from "./rows.ts";

/** The tables of `thread_store.db` that are looked at, and the columns without which they are of no use. */
export const SEED_TABLES = {
  threads: ["wa_id", "thread_id"],
  message_buffer: ["wa_id"],
  processing_lock: ["wa_id"],
} as const;

export type SeedTable = keyof typeof SEED_TABLES;

/** What the file holds, read at one moment. */
export interface SeedFile {
  readonly rows: Readonly<Record<SeedTable, readonly SeedRow[]>>;
  /** What was looked for and is not there, in words. */
  readonly lacks: readonly string[];
}

/** The seed's program may run meanwhile, and writes a few times a second. */
const BUSY_MS = 5_000;

/** Reads the file, and changes nothing in it: all tables in one read transaction. */
export function readSeedFile(file: string): SeedFile {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
    database.exec("BEGIN");
    return readTables(database);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StoreUnavailable(`cannot read ${file} as the seed's SQLite file: ${why}`, error);
  } finally {
    database?.close();
  }
}

function readTables(database: DatabaseSync): SeedFile {
  const lacks: string[] = [];
  const read = (table: SeedTable): readonly SeedRow[] => {
    const columns = database.prepare(`PRAGMA table_info("${table}")`).all();
    if (columns.length === 0) {
      lacks.push(`there is no table ${table}`);
      return [];
    }
    const names = new Set(columns.map(({ name }) => String(name)));
    const missing: string[] = SEED_TABLES[table].filter((name) => !names.has(name));
    if (table === "message_buffer" && !names.has("content") && !names.has("message")) missing.push("content");
    if (missing.length > 0) {
      lacks.push(`table ${table} has no column ${missing.join(", ")}`);
      return [];
    }
    if (table === "message_buffer" && !names.has("timestamp"))
      lacks.push("table message_buffer has no column timestamp: its rows go in the order in which they lie");
    return allOf(database, table);
  };
  const [threads, message_buffer, processing_lock] = (
    ["threads", "message_buffer", "processing_lock"] as const
  ).map(read);
  return {
    rows: { threads: threads!, message_buffer: message_buffer!, processing_lock: processing_lock! },
    lacks,
  };
}

/** In the order of their writing. A number that JavaScript cannot hold must not end the read. */
function allOf(database: DatabaseSync, table: SeedTable): readonly SeedRow[] {
  const statement = database.prepare(`SELECT * FROM "${table}" ORDER BY rowid`);
  statement.setReadBigInts(true);
  return statement.all();
}
