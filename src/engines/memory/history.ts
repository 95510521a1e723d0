import { latestWithin, storedSizes } from "../../core/history.ts";
import { sentInDraft, sentInTurn } from "../../core/sent.ts";
import type { HistoryTable } from "../embedded/tables.ts";
import { lastOf, type MemoryRows } from "./rows.ts";

export function historyTable(rows: MemoryRows): HistoryTable {
  const { messages, turns } = rows;
  return {
    append(turn, added) {
      const { conversationId: id } = turn;
      messages.set(id, [...(messages.get(id) ?? []), ...added]);
      turns.set(id, [...rows.turnsOf(id), turn]);
    },
    messages: (id, max, bytesMax) => latestWithin(lastOf(messages.get(id) ?? [], max), bytesMax),
    shortMessages(id, max, bytesMax) {
      const latest = lastOf(messages.get(id) ?? [], max);
      const bytes = storedSizes(latest, (message) => message).reduce((sum, size) => sum + size, 0);
      return bytes <= bytesMax ? latest : undefined;
    },
    turns: (id, max, bytesMax) => latestWithin(lastOf(rows.turnsOf(id), max), bytesMax),
    sent: (id, max = Number.MAX_SAFE_INTEGER) => [
      ...lastOf(rows.turnsOf(id), max).flatMap(sentInTurn),
      ...lastOf(rows.lettersOf(id), max).flatMap(({ draft }) => sentInDraft(draft)),
    ],
  };
}
