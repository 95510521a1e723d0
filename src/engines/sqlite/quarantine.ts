import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { RowValues, TableName } from "./sound-rows.ts";
import { SOUND_ROWS } from "./sound-rows.ts";
import { isLossy, type Row, type Statements } from "./statements.ts";

/** Where a row is: its table, and its number there. */
export interface RowPlace {
  readonly table: TableName;
  readonly number: number;
}

/** What was set aside, for the log. */
export interface Quarantined {
  readonly table: TableName;
  readonly conversationId?: string;
  /** The turn of a bad state: its reply may have gone out already. */
  readonly turnId?: string;
  readonly why: string;
}

const KEYS: Readonly<Record<TableName, string>> = {
  states: "conversation_id",
  staged: "id",
  conversations: "id",
  messages: "number",
  turns: "turn_id",
  dead_letters: "id",
  unknown_sends: "id",
  refusals: "number",
  names: "number",
};

const IS_UNCOUNTABLE = `SELECT ${Object.keys(KEYS)
  .map((table) => `EXISTS (SELECT 1 FROM ${table} WHERE rowid > ?1)`)
  .join(" OR ")} OR EXISTS (SELECT 1 FROM sqlite_sequence WHERE seq > ?1) AS found`;

/**
 * Where foreign rows go: whole, with the reason, for an operator to look at. The step that reads one gets
 * nothing instead, and goes on as if the row had never existed.
 */
export class Quarantine {
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly #nowMs: () => number;
  /** Since `begin`. */
  #quarantined: Quarantined[] = [];
  /** Rows found where nothing can be written: outside a transaction, or on a read-only connection. */
  #found = new Map<string, RowPlace>();

  constructor(database: DatabaseSync, sql: Statements, nowMs: () => number) {
    this.#database = database;
    this.#sql = sql;
    this.#nowMs = nowMs;
  }

  get quarantined(): readonly Quarantined[] {
    return this.#quarantined;
  }

  takeFound(): readonly RowPlace[] {
    const found = [...this.#found.values()];
    this.#found.clear();
    return found;
  }

  /** What an attempt that was rolled back found, the next one finds again. */
  begin(): void {
    this.#quarantined = [];
    this.#found.clear();
  }

  /** The value of a row, if it is ours or can be mended. Its statement has to select the row's number. */
  read<T extends TableName>(
    table: T,
    row: Row | undefined,
    mend?: (row: Row, why: string) => RowValues[T] | undefined,
  ): RowValues[T] | undefined {
    if (row === undefined) return undefined;
    const read = SOUND_ROWS[table](row);
    if (read.kind === "sound") return read.value;
    const mended = mend?.(row, read.why);
    if (mended === undefined) this.remove(table, Number(row.number), read.why);
    return mended;
  }

  /**
   * A flipped bit can make a row's number larger than JavaScript can count. Reading it fails, and every row
   * that is added later gets a larger number still. Such a row is at the end of its table: looking for it
   * costs next to nothing.
   */
  removeUncountable(): void {
    if (this.#sql.get(IS_UNCOUNTABLE, Number.MAX_SAFE_INTEGER)?.found !== 1) return;
    for (const table of Object.keys(KEYS) as TableName[]) {
      const beyond = this.#database.prepare(`SELECT rowid AS number FROM ${table} WHERE rowid > ? LIMIT 100`);
      beyond.setReadBigInts(true);
      for (const { number } of beyond.all(Number.MAX_SAFE_INTEGER))
        this.remove(table, number as bigint, "its number is too large");
    }
    this.#sql.run(
      `UPDATE sqlite_sequence SET seq = (SELECT coalesce(max(sequence), 0) FROM staged)
         WHERE name = 'staged' AND seq > ?`,
      Number.MAX_SAFE_INTEGER,
    );
  }

  remove(table: TableName, number: number | bigint, why: string): void {
    if (!this.keep(table, number, why)) return;
    this.#sql.run(`DELETE FROM ${table} WHERE rowid = ?`, number);
  }

  /** Keeps a copy. False if nothing can be written: then the row is found again. */
  keep(table: TableName, number: number | bigint, why: string): boolean {
    if (!this.#database.isTransaction) {
      this.#found.set(`${table}/${number}`, { table, number: Number(number) });
      return false;
    }
    const row = this.rowAt(table, number);
    if (!row) return false;
    const conversationId = textOf(table === "conversations" ? row.id : row.conversation_id);
    this.#sql.run(
      "INSERT INTO quarantine (source, key, conversation_id, why, at_ms, raw) VALUES (?, ?, ?, ?, ?, ?)",
      table,
      textOf(row[KEYS[table]]) ?? String(number),
      conversationId ?? null,
      why,
      this.#nowMs(),
      JSON.stringify(this.#rawOf(table, number, row)),
    );
    const turnId = table === "states" ? textOf(row.turn_id) : undefined;
    this.#quarantined.push({
      table,
      ...(conversationId !== undefined && { conversationId }),
      ...(turnId !== undefined && { turnId }),
      why,
    });
    return true;
  }

  rowAt(table: TableName, number: number | bigint): Row | undefined {
    // Integers of any size: one that JavaScript cannot count would make the read itself fail.
    const statement = this.#database.prepare(`SELECT rowid AS number, * FROM ${table} WHERE rowid = ?`);
    statement.setReadBigInts(true);
    const row = statement.get(number) as Row | undefined;
    return row && Object.fromEntries(Object.entries(row).map(([name, value]) => [name, counted(value)]));
  }

  /** Exact to the byte: what is no text, or no UTF-8, is kept in hex. */
  #rawOf(table: TableName, number: number | bigint, row: Row): Record<string, unknown> {
    const names = Object.keys(row);
    const bytes = names.map((name) => `hex(${name}) AS ${name}`).join(", ");
    const hex = this.#sql.get(
      `SELECT ${bytes} FROM (SELECT rowid AS number, * FROM ${table} WHERE rowid = ?)`,
      number,
    );
    return Object.fromEntries(
      names.map((name) => [name, isLossy(row[name]) ? { hex: hex?.[name] } : row[name]]),
    );
  }
}

function counted(value: SQLInputValue): SQLInputValue {
  if (typeof value !== "bigint") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

function textOf(value: SQLInputValue | undefined): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
