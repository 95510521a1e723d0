import { newConversation } from "../../core/new-conversation.ts";
import { parsed } from "../../core/shape.ts";
import { mendedConversation } from "../../core/sound-conversation.ts";
import type { Conversation } from "../../model/conversation.ts";
import { placeOf } from "./quarantine.ts";
import { isLossy, type Row } from "./statements.ts";
import type { TablesOptions } from "./tables-options.ts";

export const CONVERSATION_COLUMNS = "number, id, record";
/** For a record that is not ours. `task_complete` is only compared: it may be an integer of any size. */
const ALL_COLUMNS = `SELECT number, id, channel_type, address, sender, sender_alias,
  task_complete = 1 AS task_complete FROM conversations WHERE number = ?`;

export interface ConversationRows {
  /** A foreign record is repaired if its key can be read: its customer still writes. */
  mend(row: Row, why: string): Conversation | undefined;
  /** Tells how many characters the record has. */
  put(conversation: Conversation): number;
}

export function conversationRows({ sql, quarantine, nowMs }: TablesOptions): ConversationRows {
  const rows: ConversationRows = {
    mend(row, why) {
      const columns = sql.get(ALL_COLUMNS, row.number ?? null);
      const fresh = columns && freshFrom(columns, nowMs());
      if (!fresh) return undefined;
      const stored = parsed(row.record);
      const mended = mendedConversation(stored.kind === "sound" ? stored.value : undefined, fresh);
      if (quarantine.keep(placeOf("conversations", row), why)) rows.put(mended);
      return mended;
    },
    put(conversation) {
      const { id, channelType, address, sender, senderAlias, taskComplete } = conversation;
      const record = JSON.stringify(conversation);
      sql.run(
        `INSERT INTO conversations (id, channel_type, address, sender, sender_alias, task_complete, record)
           VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET
           sender_alias = excluded.sender_alias, task_complete = excluded.task_complete,
           record = excluded.record`,
        id,
        channelType,
        address,
        sender,
        senderAlias ?? null,
        taskComplete ? 1 : 0,
        record,
      );
      return record.length;
    },
  };
  return rows;
}

/** A new record under the old key, as far as the columns can be read. */
function freshFrom(row: Row, nowMs: number): Conversation | undefined {
  const { id, channel_type: channelType, address, sender, sender_alias: alias } = row;
  const isText = (value: unknown): value is string => typeof value === "string" && !isLossy(value);
  if (!isText(id) || !isText(channelType) || !isText(address) || !isText(sender)) return undefined;
  const key = { channelType, address, sender, ...(isText(alias) && { senderAlias: alias }) };
  return { ...newConversation(id, key, nowMs), taskComplete: row.task_complete === 1 };
}
