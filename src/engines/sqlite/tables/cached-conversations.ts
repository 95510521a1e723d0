import type { Conversation, ConversationKey } from "../../../model/conversation.ts";
import type { ConversationTable } from "../../embedded/tables.ts";
import { CONVERSATION_COLUMNS, type ConversationRows } from "../conversation-rows.ts";
import { type NumberedId, nameKey, type RowCache } from "../row-cache.ts";
import type { ReadRows } from "../rows.ts";
import type { Row, Statements } from "../statements.ts";

/** One name at a time, by each of two columns: an OR over both reads every conversation of the address. */
const ACTIVE = `SELECT ${CONVERSATION_COLUMNS} FROM conversations
  WHERE channel_type = ? AND address = ? AND task_complete = 0`;
const ACTIVE_BY_SENDER = `${ACTIVE} AND sender = ?`;
const ACTIVE_BY_ALIAS = `${ACTIVE} AND sender_alias = ?`;

/** Newest first. */
function eachOnce(found: readonly NumberedId[]): NumberedId[] {
  const byNumber = new Map(found.map((each) => [each.number, each]));
  return [...byNumber.values()].sort((a, b) => b.number - a.number);
}

const BY_ID = `SELECT ${CONVERSATION_COLUMNS} FROM conversations WHERE id = ?`;

/** What every message and every turn asks for. */
export function cachedConversations(
  sql: Statements,
  rows: ConversationRows,
  readRows: ReadRows,
  cache: RowCache,
): Pick<ConversationTable, "get" | "active" | "put"> {
  const read = (id: string, row: Row | undefined): Conversation | undefined => {
    const [conversation] = readRows("conversations", row ? [row] : []);
    cache.conversations.keep(id, conversation, String(row?.record).length);
    return conversation;
  };
  const get = (id: string) =>
    cache.conversations.has(id) ? cache.conversations.get(id) : read(id, sql.get(BY_ID, id));
  /** Under the name itself, or as one that was learnt. */
  const activeUnder = (name: string, { channelType, address }: ConversationKey) => {
    const found = [
      ...sql.all(ACTIVE_BY_SENDER, channelType, address, name),
      ...sql.all(ACTIVE_BY_ALIAS, channelType, address, name),
    ];
    return found.flatMap((row) => {
      const conversation = read(String(row.id), row);
      return conversation ? [{ number: Number(row.number), id: conversation.id }] : [];
    });
  };
  return {
    get,
    active(key, names) {
      const found = names.flatMap((name) =>
        cache.active.getOr(nameKey(key, name), () => activeUnder(name, key)),
      );
      const each = (found.length > 1 ? eachOnce(found) : found).flatMap(({ id }) => get(id) ?? []);
      // Columns and record disagree in a row that was changed by hand, or repaired: the record is right.
      return each.filter((one) => !one.taskComplete && names.some((name) => isNamed(one, name)));
    },
    put(conversation) {
      const before = get(conversation.id);
      // Its columns are written once: under another key it would not be found, and be kept as if it were.
      if (before && ownKey(before) !== ownKey(conversation))
        throw new Error("a conversation keeps its sender and its address");
      cache.conversations.keep(conversation.id, conversation, rows.put(conversation));
      if (before && isFoundAlike(before, conversation)) return;
      for (const name of [conversation.sender, conversation.senderAlias, before?.senderAlias])
        if (name !== undefined) cache.active.delete(nameKey(conversation, name));
    },
  };
}

function ownKey(conversation: Conversation): string {
  return nameKey(conversation, conversation.sender);
}

/** Under the same names, and among the active ones as before. */
function isFoundAlike(before: Conversation, after: Conversation): boolean {
  return before.senderAlias === after.senderAlias && before.taskComplete === after.taskComplete;
}

function isNamed({ sender, senderAlias }: Conversation, name: string): boolean {
  return sender === name || senderAlias === name;
}
