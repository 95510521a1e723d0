import type { SQLInputValue } from "node:sqlite";
import { fitting } from "../../core/history.ts";
import type { ConversationState } from "../../core/state.ts";
import type { Conversation } from "../../ports/conversations.ts";
import type { Listing, Page, Refusal, TurnRecord, UnknownSend } from "../../ports/inspector.ts";
import { lockRecord } from "../embedded/inspecting.ts";
import type { StoredDeadLetter, Tables } from "../embedded/tables.ts";
import { parse, type Statements } from "./statements.ts";

type Listings = Pick<
  Tables,
  | "listConversations"
  | "listTurns"
  | "listRefusalsOf"
  | "listLocks"
  | "listDead"
  | "listUnknown"
  | "listRefusals"
  | "counts"
>;

/** Reading for people: newest first, a page at a time, the cursor being the number of the last row shown. */
export function listings(sql: Statements): Listings {
  return {
    listConversations({ search, active, ...page }) {
      const conditions = [
        ...(active === undefined ? [] : [{ text: "task_complete = ?", values: [active ? 0 : 1] }]),
        ...(search === undefined
          ? []
          : [{ text: "(id = ? OR instr(sender, ?) > 0)", values: [search, search] }]),
      ];
      return newestFirst<Conversation>(sql, "conversations", page, conditions);
    },
    listTurns: (id, max) =>
      sql
        .all("SELECT record FROM turns WHERE conversation_id = ? ORDER BY number DESC LIMIT ?", id, max)
        .map((row) => parse<TurnRecord>(row)!)
        .reverse(),
    listRefusalsOf: (id, max) =>
      sql
        .all("SELECT record FROM refusals WHERE conversation_id = ? ORDER BY number DESC LIMIT ?", id, max)
        .map((row) => parse<Refusal>(row)!)
        .reverse(),
    listLocks({ limit, cursor }) {
      const rows = sql.all(
        `SELECT conversation_id, state, (SELECT count(*) FROM staged s WHERE s.conversation_id = states.conversation_id) AS staged
           FROM states WHERE conversation_id > ? ORDER BY conversation_id LIMIT ?`,
        cursor ?? "",
        limit,
      );
      const items = rows.map((row) =>
        lockRecord(
          row.conversation_id as string,
          parse<ConversationState>(row, "state")!,
          Number(row.staged),
        ),
      );
      const last = items.at(-1)?.conversationId;
      return { items, ...(items.length === limit && last !== undefined && { next: last }) };
    },
    listDead: (page) => newestFirst<StoredDeadLetter>(sql, "dead_letters", page),
    listUnknown: (page) => newestFirst<UnknownSend>(sql, "unknown_sends", page),
    listRefusals: (page) => newestFirst<Refusal>(sql, "refusals", page),
    counts() {
      const row = sql.get(`SELECT
        (SELECT count(*) FROM conversations) AS conversations, (SELECT count(*) FROM staged) AS staged,
        (SELECT count(*) FROM states WHERE json_extract(state, '$.window.id') IS NOT NULL) AS windows,
        (SELECT count(*) FROM states WHERE holder IS NOT NULL) AS leases,
        (SELECT count(*) FROM turns) AS turns, (SELECT count(*) FROM dead_letters) AS dead,
        (SELECT count(*) FROM unknown_sends) AS unknown, (SELECT count(*) FROM refusals) AS refusals,
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

function newestFirst<T>(
  sql: Statements,
  table: string,
  page: Page,
  conditions: readonly Condition[] = [],
): Listing<T> {
  const before: Condition[] =
    page.cursor === undefined ? [] : [{ text: "number < ?", values: [Number(page.cursor)] }];
  const all = [...conditions, ...before];
  const where = all.length === 0 ? "" : `WHERE ${all.map(({ text }) => text).join(" AND ")}`;
  const values = all.flatMap((each) => each.values);
  const latest = `FROM ${table} ${where} ORDER BY number DESC LIMIT ?`;
  // Their sizes first: a page of dead letters could be hundreds of megabytes.
  const sizes = sql.all(`SELECT octet_length(record) AS bytes ${latest}`, ...values, page.limit);
  const fits = fitting(
    sizes.map(({ bytes }) => Number(bytes)),
    PAGE_BYTES_MAX,
  );
  const rows = sql.all(`SELECT number, record ${latest}`, ...values, fits);
  const last = rows.at(-1)?.number;
  const isCut = sizes.length === page.limit || fits < sizes.length;
  return {
    items: rows.map((row) => parse<T>(row)!),
    ...(isCut && last !== undefined && { next: String(last) }),
  };
}
