import type { Listing, Page } from "../../../ports/inspector.ts";
import { latestRows, newestFirst, type ReadRows } from "../rows.ts";
import type { RowValues } from "../sound-rows.ts";
import type { Statements } from "../statements.ts";

/** What dead letters and unknown sends have in common: each is one record, found by its id. */
export function recordsById<T extends "dead_letters" | "unknown_sends">(
  sql: Statements,
  readRows: ReadRows,
  table: T,
) {
  const insert = `INSERT OR REPLACE INTO ${table} (id, conversation_id, record) VALUES (?, ?, ?)`;
  return {
    put: (record: RowValues[T]) =>
      void sql.run(insert, record.id, record.conversationId, JSON.stringify(record)),
    get: (id: string): RowValues[T] | undefined =>
      readRows(table, sql.all(`SELECT * FROM ${table} WHERE id = ?`, id))[0],
    delete: (id: string) => void sql.run(`DELETE FROM ${table} WHERE id = ?`, id),
    latest: (conversationId: string, max: number, bytesMax: number): RowValues[T][] =>
      readRows(table, latestRows(sql, table, conversationId, max, bytesMax)).reverse(),
    list: (page: Page): Listing<RowValues[T]> => newestFirst(sql, readRows, table, page),
  };
}
