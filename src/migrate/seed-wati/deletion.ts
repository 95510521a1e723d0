import type { IdentifiedMessage } from "./customers.ts";

export interface Deletion {
  readonly statements: readonly string[];
  /** Rows that SQL cannot name one by one: those of a view, or of a table without row numbers. */
  readonly unnamed: number;
}

/**
 * What takes exactly these rows out of the bot's buffer: one statement, so that it is all of them or none,
 * whatever runs it. Row numbers are given again to new rows once a buffer was emptied: so whose row it is and
 * when it was written have to fit as well.
 */
export function deletionOf(moved: readonly IdentifiedMessage[]): Deletion {
  const named = moved.flatMap(({ place: { rowid, waId, timestamp } }) =>
    rowid === undefined ? [] : [{ rowid, waId, timestamp }],
  );
  const unnamed = moved.length - named.length;
  if (named.length === 0) return { statements: [], unnamed };
  const hasTimes = named.some(({ timestamp }) => timestamp !== undefined);
  const rows = named.map(({ rowid, waId, timestamp }) => {
    const values = [rowid, waId, ...(hasTimes ? [timestamp] : [])];
    return `  (${values.map(literal).join(", ")})`;
  });
  const fits = `buffered.wa_id IS moved.wa_id${hasTimes ? " AND buffered.timestamp IS moved.at" : ""}`;
  const statement = [
    `WITH moved (number, wa_id${hasTimes ? ", at" : ""}) AS (VALUES`,
    rows.join(",\n"),
    ")",
    "DELETE FROM message_buffer WHERE rowid IN (",
    "  SELECT buffered.rowid FROM moved JOIN message_buffer AS buffered ON buffered.rowid = moved.number",
    `  WHERE ${fits}`,
    ");",
  ];
  return { statements: [statement.join("\n")], unnamed };
}

function literal(value: unknown): string {
  // SQL has no word for infinity, and reads this as one.
  if (value === Infinity || value === -Infinity) return value > 0 ? "9e999" : "-9e999";
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return bytes(value);
  if (typeof value !== "string") return "NULL";
  // Within quotes it would end at the zero.
  return value.includes("\0") ? `CAST(${bytes(value)} AS TEXT)` : `'${value.replaceAll("'", "''")}'`;
}

function bytes(value: string | Uint8Array): string {
  return `X'${Buffer.from(value as Uint8Array).toString("hex")}'`;
}
