import type { ConversationTable } from "../../embedded/tables.ts";
import { CONVERSATION_COLUMNS, type ConversationRows } from "../conversation-rows.ts";
import type { RowCache } from "../row-cache.ts";
import { newestFirst, type ReadRows } from "../rows.ts";
import type { Statements } from "../statements.ts";
import { cachedConversations } from "./cached-conversations.ts";

export function conversationTable(
  sql: Statements,
  rows: ConversationRows,
  readRows: ReadRows,
  cache: RowCache,
): ConversationTable {
  return {
    ...cachedConversations(sql, rows, readRows, cache),
    latestId: ({ channelType, address, sender }) =>
      sql.get(
        `SELECT id FROM conversations WHERE channel_type = ? AND address = ? AND sender = ?
         ORDER BY number DESC LIMIT 1`,
        channelType,
        address,
        sender,
      )?.id as string | undefined,
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
                text: "(instr(id, ?) = 1 OR instr(sender, ?) > 0 OR instr(sender_alias, ?) > 0)",
                values: [search, search, search],
              },
            ]),
      ];
      return newestFirst(sql, readRows, "conversations", page, conditions);
    },
  };
}
