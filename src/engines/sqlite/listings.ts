import type { SQLInputValue } from "node:sqlite";
import { fitting } from "../../core/history.ts";
import type { Listing, Page, QuarantinedRow } from "../../ports/inspector.ts";
import { lockRecord } from "../embedded/steps/inspect.ts";
import type { Tables } from "../embedded/tables.ts";
import { CONVERSATION_COLUMNS } from "./conversation-rows.ts";
import type { Quarantine } from "./quarantine.ts";
import type { RowValues, TableName } from "./sound-rows.ts";
import type { Row, Statements } from "./statements.ts";

type Listings = Pick<
  Tables,
  | "listConversations"
  | "listTurns"
  | "listRefusalsOf"
  | "listLocks"
  | "listDead"
  | "listUnknown"
  | "listRefusals"
  | "listQuarantined"
  | "counts"
>;

/** Reads what is ours of some rows. */
export type ReadRows = <T extends TableName>(table: T, rows: readonly Row[]) => RowValues[T][];

/** Reading for people: newest first, a page at a time, the cursor being the number of the last row shown. */
export function listings(sql: Statements, quarantine: Quarantine, readRows: ReadRows): Listings {
  const newestFirst = <T extends TableName>(table: T, page: Page, conditions?: readonly Condition[]) => {
    const { rows, ...next } = newestRows(sql, table, page, conditions);
    return { items: readRows(table, rows), ...next };
  };
  return {
    listConversations({ search, active, ...page }) {
      const conditions = [
        ...(active === undefined ? [] : [{ text: "task_complete = ?", values: [active ? 0 : 1] }]),
        ...(search === undefined
          ? []
          : [{ text: "(id = ? OR instr(sender, ?) > 0)", values: [search, search] }]),
      ];
      return newestFirst("conversations", page, conditions);
    },
    listTurns: (id, max, bytesMax) =>
      readRows("turns", latestRows(sql, "turns", id, max, bytesMax)).reverse(),
    listRefusalsOf: (id, max, bytesMax) =>
      readRows("refusals", latestRows(sql, "refusals", id, max, bytesMax)).reverse(),
    listLocks({ limit, cursor }) {
      const rows = sql.all(
        `SELECT rowid AS number, conversation_id, state, (SELECT count(*) FROM staged s WHERE s.conversation_id = states.conversation_id) AS staged
           FROM states WHERE conversation_id > ? ORDER BY conversation_id LIMIT ?`,
        cursor ?? "",
        limit,
      );
      const items = rows.flatMap((row) => {
        const state = quarantine.read("states", row);
        return state ? [lockRecord(String(row.conversation_id), state, Number(row.staged))] : [];
      });
      const last = rows.at(-1)?.conversation_id;
      return { items, ...(rows.length === limit && { next: String(last) }) };
    },
    listDead: (page) => newestFirst("dead_letters", page),
    listUnknown: (page) => newestFirst("unknown_sends", page),
    listRefusals: (page) => newestFirst("refusals", page),
    listQuarantined(page) {
      const { rows, ...next } = newestRows(sql, "quarantine", page);
      return { items: rows.map(quarantinedFrom), ...next };
    },
    counts() {
      const row = sql.get(`SELECT
        (SELECT count(*) FROM conversations) AS conversations, (SELECT count(*) FROM staged) AS staged,
        (SELECT count(*) FROM states
           WHERE CASE WHEN json_valid(state) THEN json_extract(state, '$.window.id') END IS NOT NULL) AS windows,
        (SELECT count(*) FROM states WHERE holder IS NOT NULL) AS leases,
        (SELECT count(*) FROM turns) AS turns, (SELECT count(*) FROM dead_letters) AS dead,
        (SELECT count(*) FROM unknown_sends) AS unknown, (SELECT count(*) FROM refusals) AS refusals,
        (SELECT count(*) FROM quarantine) AS quarantined,
        (SELECT count(*) FROM meta WHERE key = 'paused') AS paused`)!;
      const count = (name: string) => Number(row[name]);
      return {
        conversations: count("conversations"),
        staged: count("staged"),
        windows: count("windows"),
        leases: count("leases"),
        turns: count("turns"),
        dead: count("dead"),
        unknown: count("unknown"),
        refusals: count("refusals"),
        quarantined: count("quarantined"),
        paused: count("paused") === 1,
      };
    },
  };
}

/** What one page holds at most, as it is stored; one row always. */
const PAGE_BYTES_MAX = 8_000_000;

interface Condition {
  readonly text: string;
  readonly values: readonly SQLInputValue[];
}

/** The newest rows of a conversation, newest first: so many, and as many of them as fit. */
export function latestRows(
  sql: Statements,
  table: TableName,
  conversationId: string,
  max: number,
  bytesMax = Number.MAX_SAFE_INTEGER,
): Row[] {
  const latest = `FROM ${table} WHERE conversation_id = ? AND ${IS_COUNTABLE} ORDER BY number DESC LIMIT ?`;
  return rowsWithin(sql, latest, {}, [conversationId], max, bytesMax).rows;
}

/** What is asked for of a row, and which of its columns is the long one. */
interface Wanted {
  readonly columns?: string | undefined;
  readonly long?: string | undefined;
}

/** Their sizes first, which reads nothing of them: what does not fit is never read. */
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

/** What is beyond it is set aside by the next sweep: until then it must not make lists fail. */
const IS_COUNTABLE = `number <= ${Number.MAX_SAFE_INTEGER}`;

function newestRows(
  sql: Statements,
  table: TableName | "quarantine",
  page: Page,
  conditions: readonly Condition[] = [],
): { readonly rows: Row[] } & Pick<Listing<never>, "next"> {
  const before: Condition[] =
    page.cursor === undefined
      ? [{ text: IS_COUNTABLE, values: [] }]
      : [{ text: "number < ?", values: [Number(page.cursor)] }];
  const all = [...conditions, ...before];
  const where = `WHERE ${all.map(({ text }) => text).join(" AND ")}`;
  const values = all.flatMap((each) => each.values);
  const latest = `FROM ${table} ${where} ORDER BY number DESC LIMIT ?`;
  const { rows, isCut } = rowsWithin(sql, latest, WANTED[table] ?? {}, values, page.limit, PAGE_BYTES_MAX);
  return { rows, ...(isCut && rows.length > 0 && { next: String(rows.at(-1)?.number) }) };
}

function quarantinedFrom(row: Row): QuarantinedRow {
  const { number, source, key, conversation_id: conversationId, why, at_ms: atMs, raw } = row;
  return {
    id: String(number),
    table: String(source),
    key: String(key),
    ...(conversationId !== null && { conversationId: String(conversationId) }),
    why: String(why),
    raw: String(raw),
    atMs: Number(atMs),
  };
}
