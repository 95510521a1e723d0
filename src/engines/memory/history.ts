import { RECENT_TURNS } from "../../core/defaults.ts";
import { providerIdsOf } from "../../core/draft.ts";
import { latestWithin } from "../../core/history.ts";
import type { HistoryTable } from "../embedded/tables.ts";
import { lastOf, type MemoryRows } from "./rows.ts";

export function historyTable(rows: MemoryRows): HistoryTable {
  const { messages, turns, deliveries } = rows;
  const putSent: HistoryTable["putSent"] = (channel, id, turnId, atMs) =>
    void deliveries.set(`${channel}/${id}`, { turnId, atMs });
  return {
    appendMessages: (id, added) => void messages.set(id, [...(messages.get(id) ?? []), ...added]),
    messages: (id, max, bytesMax) => latestWithin(lastOf(messages.get(id) ?? [], max), bytesMax),
    appendTurn(turn) {
      const { turnId, conversationId, channel, providerIds, committedAtMs } = turn;
      turns.set(conversationId, [...rows.turnsOf(conversationId), turn]);
      for (const id of providerIds) putSent(channel, id, turnId, committedAtMs);
    },
    turns: (id, max, bytesMax) => latestWithin(lastOf(rows.turnsOf(id), max), bytesMax),
    recentProviderIds(id) {
      const recent = rows.turnsOf(id).slice(-RECENT_TURNS);
      const letters = rows.lettersOf(id).slice(-RECENT_TURNS);
      return [
        ...recent.flatMap(({ providerIds }) => providerIds),
        ...letters.flatMap(({ draft }) => (draft ? providerIdsOf(draft) : [])),
      ];
    },
    putSent,
    isSent: (channel, id) => deliveries.has(`${channel}/${id}`),
  };
}
