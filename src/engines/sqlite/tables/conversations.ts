import type { ConversationTable } from "../../embedded/tables.ts";
import { CONVERSATION_COLUMNS, type ConversationRows } from "../conversation-rows.ts";
import { newestFirst, type ReadRows } from "../rows.ts";
import type { Row, Statements } from "../statements.ts";

/** One name at a time, by each of two columns: an OR over both reads every conversation of the address. */
const ACTIVE = `SELECT ${CONVERSATION_COLUMNS} FROM conversations
  WHERE channel_type = ? AND address = ? AND task_complete = 0`;
const ACTIVE_BY_SENDER = `${ACTIVE} AND sender = ?`;
const ACTIVE_BY_ALIAS = `${ACTIVE} AND sender_alias = ?`;

/** Newest first. */
function eachOnce(rows: readonly Row[]): Row[] {
  const byNumber = new Map(rows.map((row) => [Number(row.number), row]));
  return [...byNumber].sort(([a], [b]) => b - a).map(([, row]) => row);
}

const BY_ID = `SELECT ${CONVERSATION_COLUMNS} FROM conversations WHERE id = ?`;

export function conversationTable(
  sql: Statements,
  rows: ConversationRows,
  readRows: ReadRows,
): ConversationTable {
  return {
    get: (id) => readRows("conversations", sql.all(BY_ID, id))[0],
    active({ channelType, address }, names) {
      const found = names.flatMap((name) => [
        ...sql.all(ACTIVE_BY_SENDER, channelType, address, name),
        ...sql.all(ACTIVE_BY_ALIAS, channelType, address, name),
      ]);
      return readRows("conversations", found.length > 1 ? eachOnce(found) : found);
    },
    latestId: ({ channelType, address, sender }) =>
      sql.get(
        `SELECT id FROM conversations WHERE channel_type = ? AND address = ? AND sender = ?
         ORDER BY number DESC LIMIT 1`,
        channelType,
        address,
        sender,
      )?.id as string | undefined,
    put: rows.put,
    named({ channelType, address }, names) {
      const found = sql.all(
        `SELECT ${CONVERSATION_COLUMNS} FROM conversations WHERE number IN (
           SELECT number FROM conversations WHERE channel_type = ?1 AND address = ?2
             AND sender IN (SELECT value FROM json_each(?3))
           UNION SELECT number FROM conversations WHERE channel_type = ?1 AND address = ?2
             AND sender_alias IN (SELECT value FROM json_each(?3)))`,
        channelType,
        address,
        JSON.stringify(names),
      );
      return readRows("conversations", found);
    },
    list({ search, active, ...page }) {
      const conditions = [
        ...(active === undefined ? [] : [{ text: "task_complete = ?", values: [active ? 0 : 1] }]),
        ...(search === undefined
          ? []
          : [
              {
                text: "(id = ? OR instr(sender, ?) > 0 OR instr(sender_alias, ?) > 0)",
                values: [search, search, search],
              },
            ]),
      ];
      return newestFirst(sql, readRows, "conversations", page, conditions);
    },
  };
}
