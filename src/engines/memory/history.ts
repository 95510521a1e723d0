import { RECENT_TURNS } from "../../core/defaults.ts";
import { providerIdsOf } from "../../core/draft.ts";
import { latestWithin } from "../../core/history.ts";
import type { HistoryTable } from "../embedded/tables.ts";
import { lastOf, type MemoryRows } from "./rows.ts";

export function historyTable(rows: MemoryRows): HistoryTable {
  const { messages, turns, deliveries } = rows;
  return {
    appendMessages: (id, added) => void messages.set(id, [...(messages.get(id) ?? []), ...added]),
    messages: (id, max, bytesMax) => latestWithin(lastOf(messages.get(id) ?? [], max), bytesMax),
    appendTurn(turn) {
      const { turnId, conversationId, channel, providerIds, committedAtMs: atMs } = turn;
      turns.set(conversationId, [...rows.turnsOf(conversationId), turn]);
      for (const id of providerIds) deliveries.set(`${channel}/${id}`, { turnId, status: "sent", atMs });
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
    putDelivery(channel, status, turnId, atMs) {
      const key = `${channel}/${status.providerId}`;
      const known = deliveries.get(key);
      if (!known && turnId === undefined) return false;
      deliveries.set(key, { turnId: turnId ?? known?.turnId, status: status.status, atMs });
      return true;
    },
  };
}
