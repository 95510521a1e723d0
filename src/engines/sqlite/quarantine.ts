import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { parsed } from "../../core/shape.ts";
import type { StrayRow } from "../embedded/tables.ts";
import { hashedId } from "./hashed-id.ts";
import type { RowCache } from "./row-cache.ts";
import type { RowValues, TableName } from "./sound-rows.ts";
import { SOUND_ROWS } from "./sound-rows.ts";
import { isLossy, type Row, type Statements } from "./statements.ts";
import { FORGET } from "./tables/remembered.ts";

/** Where a row is: its table, and what finds it there. */
export interface RowPlace {
  readonly table: TableName;
  readonly key: readonly (string | number | bigint)[];
}

/** A statement whose row goes through `read` has to select this. */
export function placeOf(table: TableName, row: Row): RowPlace {
  if (table !== "staged") return { table, key: [Number(row.number)] };
  const id = String(row.conversation_id);
  return { table, key: Number.isSafeInteger(row.sequence) ? [id, Number(row.sequence)] : [id] };
}

/** Rows of a pile have a sequence; one without is found among those of its conversation. */
function whereOf({ table, key }: RowPlace): string {
  if (table !== "staged") return "rowid = ?";
  const isCounted = `typeof(sequence) = 'integer' AND sequence BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER}`;
  return key.length === 2
    ? "conversation_id = ? AND sequence = ?"
    : `conversation_id = ? AND NOT (${isCounted})`;
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

const NUMBERED = (Object.keys(KEYS) as TableName[]).filter((table) => table !== "staged");

const IS_UNCOUNTABLE = `SELECT ${NUMBERED.map(
  (table) => `EXISTS (SELECT 1 FROM ${table} WHERE rowid > ?1)`,
).join(" OR ")} AS found`;

export interface QuarantineOptions {
  readonly nowMs: () => number;
  readonly salt: string;
  /** What is known of rows is no longer certain: one is set aside, or repaired. */
  readonly cache: Pick<RowCache, "clear">;
}

/**
 * Where foreign rows go: whole, with the reason, for an operator to look at. The step that reads one gets
 * nothing instead, and goes on as if the row had never existed.
 */
export class Quarantine {
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly #given: QuarantineOptions;
  /** Since `begin`. */
  #quarantined: Quarantined[] = [];
  /** Rows found where nothing can be written: while something is only read. */
  #found = new Map<string, StrayRow>();

  constructor(database: DatabaseSync, sql: Statements, given: QuarantineOptions) {
    this.#database = database;
    this.#sql = sql;
    this.#given = given;
  }

  get quarantined(): readonly Quarantined[] {
    return this.#quarantined;
  }

  takeFound(): readonly StrayRow[] {
    const found = [...this.#found.values()];
    this.#found.clear();
    return found;
  }

  /** What an attempt that was rolled back found, the next one finds again. */
  begin(): void {
    this.#quarantined = [];
    this.#found.clear();
  }

  /** The value of a row, if it is ours or can be mended. */
  read<T extends TableName>(
    table: T,
    row: Row | undefined,
    mend?: (row: Row, why: string) => RowValues[T] | undefined,
  ): RowValues[T] | undefined {
    if (row === undefined) return undefined;
    const read = SOUND_ROWS[table](row);
    if (read.kind === "sound") return read.value;
    const mended = mend?.(row, read.why);
    if (mended === undefined) this.remove(placeOf(table, row), read.why);
    return mended;
  }

  /**
   * A flipped bit can make a row's number larger than JavaScript can count. Reading it fails, and every row
   * that is added later gets a larger number still. Such a row is at the end of its table: looking for it
   * costs next to nothing.
   */
  removeUncountable(): void {
    if (this.#sql.get(IS_UNCOUNTABLE, Number.MAX_SAFE_INTEGER)?.found !== 1) return;
    for (const table of NUMBERED) {
      const beyond = this.#database.prepare(`SELECT rowid AS number FROM ${table} WHERE rowid > ? LIMIT 100`);
      beyond.setReadBigInts(true);
      for (const { number } of beyond.all(Number.MAX_SAFE_INTEGER))
        this.remove({ table, key: [number as bigint] }, "its number is too large");
    }
  }

  remove(place: RowPlace, why: string): void {
    if (!this.keep(place, why)) return;
    this.#sql.run(`DELETE FROM ${place.table} WHERE ${whereOf(place)}`, ...place.key);
  }

  /** All that is staged under an id that is no text, which only its bytes find. Looked for row by row. */
  removePile(hex: string, why: string): void {
    // A connection that cannot write leaves it to the next sweep.
    if (!this.#sql.isWriting) return;
    const where = "hex(conversation_id) = ?";
    this.#copy("staged", where, [hex], why);
    this.#sql.run(`DELETE FROM staged WHERE ${where}`, hex);
  }

  /** Keeps a copy. False if nothing can be written: then the row is found again. */
  keep(place: RowPlace, why: string): boolean {
    const { table, key } = place;
    if (this.#sql.isWriting) return this.#copy(table, whereOf(place), key, why);
    const plain = key.map((part) => (typeof part === "bigint" ? Number(part) : part));
    this.#found.set(JSON.stringify([table, plain]), { table, key: plain });
    return false;
  }

  rowsAt(place: RowPlace): Row[] {
    return this.#rows(place.table, whereOf(place), place.key);
  }

  #copy(table: TableName, where: string, values: readonly SQLInputValue[], why: string): boolean {
    const rows = this.#rows(table, where, values);
    const raw = this.#raw(table, where, values, rows);
    rows.forEach((row, at) => {
      this.#keepOne(table, row, JSON.stringify(raw[at]), why);
    });
    return rows.length > 0;
  }

  #keepOne(table: TableName, row: Row, raw: string, why: string): void {
    this.#given.cache.clear();
    const conversationId = textOf(table === "conversations" ? row.id : row.conversation_id);
    this.#sql.run(
      "INSERT INTO quarantine (source, key, conversation_id, why, at_ms, raw) VALUES (?, ?, ?, ?, ?, ?)",
      table,
      textOf(row[KEYS[table]]) ?? String(row.number ?? row.sequence),
      conversationId ?? null,
      why,
      this.#given.nowMs(),
      raw,
    );
    if (table === "staged") this.#forget(row);
    const turnId = table === "states" ? textOf(row.turn_id) : undefined;
    this.#quarantined.push({
      table,
      ...(conversationId !== undefined && { conversationId }),
      ...(turnId !== undefined && { turnId }),
      why,
    });
  }

  /** If the provider brings the message once more, it brings a good copy. */
  #forget({ id, item }: Row): void {
    const read = parsed(item);
    const told = read.kind === "sound" ? (read.value as { readonly id?: unknown } | null)?.id : undefined;
    for (const each of [id, told])
      if (typeof each === "string") this.#sql.run(FORGET, hashedId(this.#given.salt, each));
  }

  #rows(table: TableName, where: string, values: readonly SQLInputValue[]): Row[] {
    // Integers of any size: one that JavaScript cannot count would make the read itself fail.
    const statement = this.#database.prepare(`SELECT ${allOf(table)} FROM ${table} WHERE ${where}`);
    statement.setReadBigInts(true);
    return statement
      .all(...values)
      .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, counted(value)])));
  }

  /** Exact to the byte: what is no text, or no UTF-8, is kept in hex. */
  #raw(table: TableName, where: string, values: readonly SQLInputValue[], rows: readonly Row[]): object[] {
    const names = Object.keys(rows[0] ?? {});
    if (names.length === 0) return [];
    const bytes = names.map((name) => `hex(${name}) AS ${name}`).join(", ");
    const hex = this.#sql.all(
      `SELECT ${bytes} FROM (SELECT ${allOf(table)} FROM ${table} WHERE ${where})`,
      ...values,
    );
    return rows.map((row, at) =>
      Object.fromEntries(
        names.map((name) => [name, isLossy(row[name]) ? { hex: hex[at]?.[name] } : row[name]]),
      ),
    );
  }
}

function allOf(table: TableName): string {
  return table === "staged" ? "*" : "rowid AS number, *";
}

function counted(value: SQLInputValue): SQLInputValue {
  if (typeof value !== "bigint") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

function textOf(value: SQLInputValue | undefined): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
