import type { Tables } from "../embedded/tables.ts";
import { conversationRows } from "./conversation-rows.ts";
import type { ReadRows } from "./rows.ts";
import type { RowValues, TableName } from "./sound-rows.ts";
import type { Row } from "./statements.ts";
import { cachedDeadLetters } from "./tables/cached-dead-letters.ts";
import { cachedHistory } from "./tables/cached-history.ts";
import { cachedStaged } from "./tables/cached-staged.ts";
import { conversationTable } from "./tables/conversations.ts";
import { deadLetterTable } from "./tables/dead-letters.ts";
import { historyTable } from "./tables/history.ts";
import { keptTables } from "./tables/kept.ts";
import { metaTable } from "./tables/meta.ts";
import { nameTable } from "./tables/names.ts";
import { peopleTable } from "./tables/people.ts";
import { quarantineTable } from "./tables/quarantine.ts";
import { recordsById } from "./tables/records-by-id.ts";
import { refusalTable } from "./tables/refusals.ts";
import { rememberedTable } from "./tables/remembered.ts";
import { removal } from "./tables/removal.ts";
import { stagedTable } from "./tables/staged.ts";
import { stateTable } from "./tables/states.ts";
import type { TablesOptions } from "./tables-options.ts";

/** The tables in a SQLite file. Every call runs inside the transaction of its step. */
export function sqliteTables(options: TablesOptions): Tables {
  const { sql, quarantine, cache, salt } = options;
  const conversations = conversationRows(options);
  const menders: { readonly [T in TableName]?: (row: Row, why: string) => RowValues[T] | undefined } = {
    conversations: conversations.mend,
  };
  const readRows: ReadRows = (table, rows) =>
    rows.flatMap((row) => quarantine.read(table, row, menders[table]) ?? []);
  return {
    conversations: conversationTable(sql, conversations, readRows, cache),
    names: nameTable(sql, readRows, cache),
    staged: cachedStaged(stagedTable(sql, readRows), cache),
    remembered: rememberedTable(sql, salt),
    states: stateTable(options),
    history: cachedHistory(historyTable(sql, readRows), cache),
    refusals: refusalTable(sql, readRows),
    deadLetters: cachedDeadLetters(deadLetterTable(sql, readRows), cache),
    unknownSends: recordsById(sql, readRows, "unknown_sends"),
    meta: metaTable(sql, cache),
    quarantine: quarantineTable(sql, quarantine, readRows),
    removal: removal(sql, cache),
    kept: keptTables(sql, readRows, cache),
    people: peopleTable(sql, readRows),
  };
}
