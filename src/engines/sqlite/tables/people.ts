import { isAbout } from "../../../core/named-rows.ts";
import { namesOf } from "../../../core/names.ts";
import { messagesOf } from "../../../core/staged.ts";
import type { StagedRow } from "../../../model/staged.ts";
import type { Listing, Page } from "../../../ports/inspector.ts";
import type { PeopleTable } from "../../embedded/tables.ts";
import type { ReadRows } from "../rows.ts";
import type { Row, Statements } from "../statements.ts";
import { quarantinedFrom } from "./quarantine.ts";
import { STAGED_COLUMNS } from "./staged.ts";

/** It leaps from one address of ours to the next: reading an entry for each conversation would take long. */
export const ADDRESSES = (table: "conversations" | "names") => `WITH RECURSIVE places (type, at) AS (
    SELECT * FROM (SELECT channel_type, address FROM ${table} ORDER BY channel_type, address LIMIT 1)
    UNION ALL SELECT next.channel_type, next.address FROM places JOIN ${table} AS next ON next.rowid = (
      SELECT rowid FROM ${table} WHERE (channel_type, address) > (places.type, places.at)
        ORDER BY channel_type, address LIMIT 1))
  SELECT type, at FROM places`;

const HAS_RECORD = "EXISTS (SELECT 1 FROM conversations WHERE id = conversation_id)";
/** What is in a conversation is not read. */
export const STAGED_STRAYS = `SELECT ${STAGED_COLUMNS}, ${HAS_RECORD} AS has_record FROM staged
  WHERE (conversation_id, staged.sequence) > (?1, ?2) ORDER BY conversation_id, staged.sequence LIMIT ?3`;
const DEAD_STRAYS = `SELECT number, record, ${HAS_RECORD} AS has_record FROM dead_letters
  WHERE number > ?1 ORDER BY number LIMIT ?2`;
/** Without an index by name: each refusal would cost one more page. Both tables have a limit. */
const NAMED = {
  refusal: `SELECT number, record, ${HAS_RECORD} AS has_record FROM refusals
    WHERE number > ?1 ORDER BY number LIMIT ?2`,
  quarantined: `SELECT *, ${HAS_RECORD} AS has_record FROM quarantine
    WHERE number > ?1 ORDER BY number LIMIT ?2`,
} as const;
/** A row may be large. */
const QUARANTINED_MAX = 50;

export function peopleTable(sql: Statements, readRows: ReadRows): PeopleTable {
  return {
    addresses: () =>
      [...sql.all(ADDRESSES("conversations")), ...sql.all(ADDRESSES("names"))].map(({ type, at }) => ({
        channelType: String(type),
        address: String(at),
      })),
    strays(names, { limit, cursor }) {
      const isTheirs = (row: StagedRow) =>
        messagesOf([row]).some(({ message }) => namesOf(message).some((name) => names.includes(name)));
      const [table = "staged", id = "", at = 0] =
        cursor === undefined ? [] : (JSON.parse(cursor) as [string?, string?, number?]);
      const { items, next } =
        table === "staged"
          ? stagedStrays(sql, readRows, { id, at, limit })
          : deadStrays(sql, readRows, at, limit);
      return { items: items.filter(isTheirs), ...(next !== undefined && { next }) };
    },
    named(kind, names, page) {
      const limit = kind === "quarantined" ? Math.min(page.limit, QUARANTINED_MAX) : page.limit;
      const rows = sql.all(NAMED[kind], Number(page.cursor ?? 0), limit);
      const strays = rows.filter(({ has_record }) => has_record === 0);
      const last = rows.length === limit ? rows.at(-1)?.number : undefined;
      return {
        items: kind === "refusal" ? refusalsOf(readRows, strays, names) : quarantinedOf(strays, names),
        ...(last !== undefined && { next: String(last) }),
      };
    },
  };
}

function refusalsOf(readRows: ReadRows, rows: readonly Row[], names: readonly string[]): readonly object[] {
  return readRows("refusals", rows).filter(({ sender }) => names.includes(sender));
}

function quarantinedOf(rows: readonly Row[], names: readonly string[]): readonly object[] {
  return rows.filter(({ raw }) => isAbout(String(raw), names)).map(quarantinedFrom);
}

function stagedStrays(
  sql: Statements,
  readRows: ReadRows,
  { id, at, limit }: { readonly id: string; readonly at: number; readonly limit: number },
): Listing<StagedRow> {
  const rows = sql.all(STAGED_STRAYS, id, at, limit);
  const last = rows.at(-1);
  const next = rows.length === limit ? ["staged", last?.conversation_id, last?.sequence] : ["dead"];
  return { items: readRows("staged", rows.filter(withoutRecord)), next: JSON.stringify(next) };
}

function deadStrays(
  sql: Statements,
  readRows: ReadRows,
  at: number,
  limit: Page["limit"],
): Listing<StagedRow> {
  const rows = sql.all(DEAD_STRAYS, at, limit);
  const items = readRows("dead_letters", rows.filter(withoutRecord)).flatMap((letter) =>
    letter.rows.map((row) => ({ ...row, conversationId: letter.conversationId })),
  );
  const next = rows.length === limit ? JSON.stringify(["dead", "", rows.at(-1)?.number]) : undefined;
  return { items, ...(next !== undefined && { next }) };
}

function withoutRecord({ has_record }: Row): boolean {
  return has_record === 0;
}
