import type { HistoryMessage } from "../../../model/history.ts";
import type { HistoryTable } from "../../embedded/tables.ts";
import type { RowCache } from "../row-cache.ts";

/** Bytes of a history that is kept, and what a message has beside its text, about. */
const KEPT_BYTES_MAX = 8_000;
const MESSAGE_BYTES = 200;

/** What was said, of which short histories are read once: every turn asks for all of its conversation's. */
export function cachedHistory(history: HistoryTable, { histories }: RowCache): HistoryTable {
  const keep = (id: string, messages: readonly HistoryMessage[]) => {
    if (bytesOf(messages) <= KEPT_BYTES_MAX) histories.put(id, messages);
    else histories.delete(id);
  };
  return {
    ...history,
    append(turn, messages) {
      history.append(turn, messages);
      const before = histories.get(turn.conversationId);
      if (before) keep(turn.conversationId, [...before, ...messages]);
    },
    shortMessages(id, messagesMax, bytesMax) {
      // With smaller limits, what is kept may be more than was asked for.
      if (bytesMax < 2 * KEPT_BYTES_MAX) return history.shortMessages(id, messagesMax, bytesMax);
      const known = histories.get(id);
      if (known) return known.slice(-messagesMax);
      const messages = history.shortMessages(id, messagesMax, bytesMax);
      if (messages) keep(id, messages);
      return messages;
    },
  };
}

/** About as much as they take in a row. */
function bytesOf(messages: readonly HistoryMessage[]): number {
  return messages.reduce((sum, { text, media, parts = [] }) => {
    const said = [{ text, media }, ...parts];
    return sum + said.reduce((bytes, each) => bytes + partBytes(each), 0);
  }, 0);
}

function partBytes({ text, media }: Pick<HistoryMessage, "text" | "media">): number {
  return Buffer.byteLength(text) + MESSAGE_BYTES * (1 + media.length);
}
