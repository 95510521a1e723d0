import { RECENT_TURNS } from "../../../core/defaults.ts";
import { providerIdsOf } from "../../../core/draft.ts";
import type { HistoryTable } from "../../embedded/tables.ts";
import { latestRows, type ReadRows } from "../rows.ts";
import type { Statements } from "../statements.ts";

/** Three callbacks come for each reply: one that tells nothing new writes no page. */
const PUT_SENT = `INSERT INTO deliveries (channel, provider_id, turn_id, at_ms) VALUES (?, ?, ?, ?)
  ON CONFLICT (channel, provider_id) DO UPDATE SET turn_id = excluded.turn_id
  WHERE turn_id IS NOT excluded.turn_id`;

export function historyTable(sql: Statements, readRows: ReadRows): HistoryTable {
  return {
    appendMessages(id, messages) {
      for (const message of messages) {
        sql.run(
          "INSERT INTO messages (conversation_id, at_ms, record) VALUES (?, ?, ?)",
          id,
          message.atMs,
          JSON.stringify(message),
        );
      }
    },
    messages: (id, max, bytesMax) =>
      readRows("messages", latestRows(sql, "messages", id, max, bytesMax)).reverse(),
    appendTurn(turn) {
      sql.run(
        "INSERT INTO turns (turn_id, conversation_id, committed_at_ms, record) VALUES (?, ?, ?, ?)",
        turn.turnId,
        turn.conversationId,
        turn.committedAtMs,
        JSON.stringify(turn),
      );
      for (const id of turn.providerIds) sql.run(PUT_SENT, turn.channel, id, turn.turnId, turn.committedAtMs);
    },
    turns: (id, max, bytesMax) => readRows("turns", latestRows(sql, "turns", id, max, bytesMax)).reverse(),
    recentProviderIds(id) {
      const turns = readRows("turns", latestRows(sql, "turns", id, RECENT_TURNS));
      const letters = readRows("dead_letters", latestRows(sql, "dead_letters", id, RECENT_TURNS));
      return [
        ...turns.flatMap(({ providerIds }) => providerIds),
        ...letters.flatMap(({ draft }) => (draft ? providerIdsOf(draft) : [])),
      ];
    },
    putSent: (...sent) => void sql.run(PUT_SENT, ...sent),
    isSent: (...sent) =>
      sql.get("SELECT 1 FROM deliveries WHERE channel = ? AND provider_id = ?", ...sent) !== undefined,
  };
}
