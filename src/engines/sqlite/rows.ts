import type { SQLInputValue } from "node:sqlite";
import { fitting } from "../../core/history.ts";
import type { Listing, Page } from "../../ports/inspector.ts";
import { CONVERSATION_COLUMNS } from "./conversation-rows.ts";
import type { RowValues, TableName } from "./sound-rows.ts";
import type { Row, Statements } from "./statements.ts";

/** Reads the valid rows. */
export type ReadRows = <T extends TableName>(table: T, rows: readonly Row[]) => RowValues[T][];

/** For operators: newest first, a page at a time. The cursor is the number of the last row shown. */
export function newestFirst<T extends TableName>(
  sql: Statements,
  readRows: ReadRows,
  table: T,
  page: Page,
  conditions?: readonly Condition[],
): Listing<RowValues[T]> {
  const { rows, ...next } = newestRows(sql, table, page, conditions);
  return { items: readRows(table, rows), ...next };
}

/** The most bytes of one page, as they are stored; one row always fits. */
export const PAGE_BYTES_MAX = 8_000_000;

/** The most rows that one page looks at for those that meet its conditions: other readers wait meanwhile. */
const SEARCHED_ROWS_MAX = 10_000;

interface Condition {
  readonly text: string;
  readonly values: readonly SQLInputValue[];
}

/** The newest rows of a conversation, newest first, up to both limits. */
export function latestRows(
  sql: Statements,
  table: TableName,
  conversationId: string,
  max: number,
  bytesMax = Number.MAX_SAFE_INTEGER,
  wanted: Wanted = {},
): Row[] {
  const latest = `FROM ${table} WHERE conversation_id = ? AND ${IS_COUNTABLE} ORDER BY number DESC LIMIT ?`;
  return rowsWithin(sql, latest, wanted, [conversationId], max, bytesMax).rows;
}

/** The wanted columns of a row, and which of them is the long one. */
export interface Wanted {
  readonly columns?: string | undefined;
  readonly long?: string | undefined;
}

/** Their sizes first, without reading them: what does not fit is never read. */
export function rowsWithin(
  sql: Statements,
  latest: string,
  { columns = "number, record", long = "record" }: Wanted,
  values: readonly SQLInputValue[],
  max: number,
  bytesMax: number,
): { readonly rows: Row[]; readonly isCut: boolean } {
  const sizes = sql.all(`SELECT octet_length(${long}) AS bytes ${latest}`, ...values, max);
  const fits = fitting(
    sizes.map(({ bytes }) => Number(bytes)),
    bytesMax,
  );
  const rows = sql.all(`SELECT ${columns} ${latest}`, ...values, fits);
  return { rows, isCut: sizes.length === max || fits < sizes.length };
}

const WANTED: Readonly<Partial<Record<string, Wanted>>> = {
  conversations: { columns: CONVERSATION_COLUMNS },
  quarantine: { columns: "*", long: "raw" },
};

/** A larger number is set aside by the next sweep: until then it must not make lists fail. */
const IS_COUNTABLE = `number <= ${Number.MAX_SAFE_INTEGER}`;

export function newestRows(
  sql: Statements,
  table: TableName | "quarantine",
  page: Page,
  conditions: readonly Condition[] = [],
): { readonly rows: Row[] } & Pick<Listing<never>, "next"> {
  const before: Condition =
    page.cursor === undefined
      ? { text: IS_COUNTABLE, values: [] }
      : { text: "number < ?", values: [Number(page.cursor)] };
  const last = conditions.length === 0 ? undefined : lastSearched(sql, table, before);
  const until: readonly Condition[] = last === undefined ? [] : [{ text: "number >= ?", values: [last] }];
  const all = [...conditions, before, ...until];
  const where = `WHERE ${all.map(({ text }) => text).join(" AND ")}`;
  const values = all.flatMap((each) => each.values);
  const latest = `FROM ${table} ${where} ORDER BY number DESC LIMIT ?`;
  const { rows, isCut } = rowsWithin(sql, latest, WANTED[table] ?? {}, values, page.limit, PAGE_BYTES_MAX);
  const next = isCut && rows.length > 0 ? rows.at(-1)?.number : last;
  return { rows, ...(next !== undefined && { next: String(next) }) };
}

/** Counted, not reckoned from the numbers: a foreign row may have any, and leave a gap of years. */
function lastSearched(
  sql: Statements,
  table: TableName | "quarantine",
  { text, values }: Condition,
): SQLInputValue | undefined {
  const last = `SELECT number FROM ${table} WHERE ${text} ORDER BY number DESC LIMIT 1 OFFSET ?`;
  return sql.get(last, ...values, SEARCHED_ROWS_MAX - 1)?.number;
}
