import type { HistoryMessage } from "../../../model/history.ts";
import type { HistoryTable } from "../../embedded/tables.ts";
import type { KnownHistory, RowCache } from "../row-cache.ts";

/** Bytes of a history that is kept, as it is stored. */
const KEPT_BYTES_MAX = 8_000;

/** What was said, of which short histories are read once: every turn asks for all of its conversation's. */
export function cachedHistory(history: HistoryTable, { histories }: RowCache): HistoryTable {
  const keep = (id: string, known: KnownHistory) => {
    if (known.bytes <= KEPT_BYTES_MAX) histories.put(id, known);
    else histories.delete(id);
  };
  return {
    ...history,
    append(turn, messages) {
      history.append(turn, messages);
      const { conversationId: id } = turn;
      const before = histories.get(id);
      if (!before) return;
      const bytes = before.bytes + bytesOf(messages);
      keep(id, { ...before, messages: [...before.messages, ...messages], bytes });
    },
    shortMessages(id, messagesMax, bytesMax) {
      const known = histories.get(id);
      const isEnough = known?.messagesMax === messagesMax && known.bytes <= bytesMax;
      if (isEnough) return known.messages.slice(-messagesMax);
      const messages = history.shortMessages(id, messagesMax, bytesMax);
      if (messages) keep(id, { messages, bytes: bytesOf(messages), messagesMax });
      return messages;
    },
  };
}

function bytesOf(messages: readonly HistoryMessage[]): number {
  return Buffer.byteLength(JSON.stringify(messages));
}
