import type { Page } from "../../../ports/inspector.ts";
import type { KeptRows, StoredKind, Tables } from "../../embedded/tables.ts";
import type { RowCache } from "../row-cache.ts";
import { PAGE_BYTES_MAX, type ReadRows, rowsWithin } from "../rows.ts";
import type { TableName } from "../sound-rows.ts";
import type { Row, Statements } from "../statements.ts";
import { quarantinedFrom } from "./quarantine.ts";
import { STAGED_COLUMNS } from "./staged.ts";

/** Where the rows of one kind are. */
interface Kept {
  readonly table: TableName | "quarantine";
  /** What names the conversation. */
  readonly id: string;
  readonly columns: string;
  /** The long one of them. */
  readonly long: string;
}

const record = (table: Kept["table"]): Kept => ({
  table,
  id: "conversation_id",
  columns: "number, record",
  long: "record",
});

/** Every table that holds something of a person, by its kind. A test compares it with a file's tables. */
export const PERSONAL_TABLES: Readonly<Record<StoredKind, Kept>> = {
  conversation: { table: "conversations", id: "id", columns: "number, id, record", long: "record" },
  state: {
    table: "states",
    id: "conversation_id",
    columns: "rowid AS number, conversation_id, state",
    long: "state",
  },
  staged: { table: "staged", id: "conversation_id", columns: STAGED_COLUMNS, long: "item" },
  message: record("messages"),
  turn: record("turns"),
  deadLetter: record("dead_letters"),
  unknownSend: record("unknown_sends"),
  refusal: record("refusals"),
  quarantined: { table: "quarantine", id: "conversation_id", columns: "*", long: "raw" },
};

/** The others, and why no conversation's rows are in them. */
export const OTHER_TABLES: Readonly<Record<string, string>> = {
  names: "records by name: read and removed with a person's names",
  remembered: "salted hashes: they stay for the dedupe time; those of what was sent go with their turns",
  meta: "of the store as a whole",
  sqlite_sequence: "left by the first version's staged messages: a count",
};

/** What was said in a turn is in its row; in 0.1.0 and early builds of 0.2.0 it had rows of its own. */
const SAID: Kept = { ...PERSONAL_TABLES.turn, columns: "number, messages", long: "messages" };

export function keptTables(sql: Statements, readRows: ReadRows, cache: RowCache): Tables["kept"] {
  const kinds = Object.keys(PERSONAL_TABLES) as StoredKind[];
  const rows = Object.fromEntries(
    kinds.map((kind) => [kind, keptRows(sql, readRows, cache, PERSONAL_TABLES[kind])]),
  ) as Record<StoredKind, KeptRows>;
  return {
    ...rows,
    message: { ...rows.message, of: (id, page) => messagesOf(rows.message, sql, readRows, id, page) },
  };
}

function keptRows(sql: Statements, readRows: ReadRows, cache: RowCache, kept: Kept): KeptRows {
  const { table, id: column } = kept;
  const order = orderOf(kept);
  const removed = `DELETE FROM ${table} WHERE ${column} = ?1 AND ${order} IN
    (SELECT ${order} FROM ${table} WHERE ${column} = ?1 LIMIT ?2)`;
  return {
    of(id, page) {
      const { rows, next } = pageOf(sql, kept, id, page);
      const items: readonly object[] =
        table === "quarantine" ? rows.map(quarantinedFrom) : readRows(table, rows).map(shown);
      return { items, ...(next !== undefined && { next }) };
    },
    removeOf(id, max) {
      cache.clear();
      return sql.run(removed, id, max);
    },
  };
}

/** A turn's row holds more than its record. */
function shown(value: object): object {
  return "turn" in value && typeof value.turn === "object" && value.turn !== null ? value.turn : value;
}

function orderOf({ table }: Kept): string {
  return table === "staged" ? "sequence" : "rowid";
}

function pageOf(
  sql: Statements,
  kept: Kept,
  id: string,
  { limit, cursor }: Page,
): { readonly rows: Row[]; readonly next?: string } {
  const { table, columns, long } = kept;
  const order = `${table}.${orderOf(kept)}`;
  const inOrder = `FROM ${table} WHERE ${kept.id} = ? AND ${order} > ? ORDER BY ${order} LIMIT ?`;
  const values = [id, Number(cursor ?? Number.MIN_SAFE_INTEGER)];
  const { rows, isCut } = rowsWithin(sql, inOrder, { columns, long }, values, limit, PAGE_BYTES_MAX);
  const last = rows.at(-1);
  return { rows, ...(isCut && last && { next: String(last.sequence ?? last.number) }) };
}

/** The cursor begins with where it leads. */
function messagesOf(own: KeptRows, sql: Statements, readRows: ReadRows, id: string, page: Page) {
  const { limit, cursor = "own" } = page;
  if (cursor.startsWith("own")) {
    const from = cursor.slice("own".length);
    const { items, next } = own.of(id, { limit, ...(from !== "" && { cursor: from }) });
    return { items, next: next === undefined ? "said" : `own${next}` };
  }
  const from = cursor.slice("said".length);
  const { rows, next } = pageOf(sql, SAID, id, { limit, ...(from !== "" && { cursor: from }) });
  const items = readRows("turns", rows).flatMap(({ messages }) => messages);
  return { items, ...(next !== undefined && { next: `said${next}` }) };
}
