import type { IdentifiedMessage } from "./customers.ts";

export interface Deletion {
  readonly statements: readonly string[];
  /** Rows that SQL cannot name one by one: those of a view, or of a table without row numbers. */
  readonly unnamed: number;
}

/**
 * What takes exactly these rows out of the bot's buffer, all or none. Row numbers are given again to new rows
 * once a buffer was emptied: so whose row it is and when it was written have to fit as well.
 */
export function deletionOf(moved: readonly IdentifiedMessage[]): Deletion {
  const named = moved.flatMap(({ place: { rowid, waId, timestamp } }) => {
    if (rowid === undefined) return [];
    const whose = `rowid = ${rowid} AND wa_id IS ${literal(waId)}`;
    const when = timestamp === undefined ? "" : ` AND timestamp IS ${literal(timestamp)}`;
    return [`DELETE FROM message_buffer WHERE ${whose}${when};`];
  });
  return {
    statements: named.length === 0 ? [] : ["BEGIN IMMEDIATE;", ...named, "COMMIT;"],
    unnamed: moved.length - named.length,
  };
}

function literal(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (typeof value !== "string") return "NULL";
  // Half of it would be taken for the whole: what no customer's row has is written so that it fits none.
  return value.includes("\0") ? "NULL" : `'${value.replaceAll("'", "''")}'`;
}
