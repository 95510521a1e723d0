import { RECENT_TURNS } from "../../../core/defaults.ts";
import { providerIdsOf } from "../../../core/draft.ts";
import type { HistoryTable } from "../../embedded/tables.ts";
import { latestRows, type ReadRows } from "../rows.ts";
import type { Statements } from "../statements.ts";

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
      for (const id of turn.providerIds) {
        sql.run(
          `INSERT INTO deliveries (channel, provider_id, turn_id, status, at_ms) VALUES (?, ?, ?, 'sent', ?)
           ON CONFLICT (channel, provider_id) DO UPDATE SET turn_id = excluded.turn_id`,
          turn.channel,
          id,
          turn.turnId,
          turn.committedAtMs,
        );
      }
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
    putDelivery: (...delivery) => putDelivery(sql, ...delivery),
  };
}

/** False where neither a turn nor an earlier status names this send. */
function putDelivery(
  sql: Statements,
  ...[channel, status, turnId, atMs]: Parameters<HistoryTable["putDelivery"]>
): boolean {
  const { providerId, errorCode } = status;
  const known = "SELECT 1 FROM deliveries WHERE channel = ? AND provider_id = ?";
  if (turnId === undefined && !sql.get(known, channel, providerId)) return false;
  sql.run(
    `INSERT INTO deliveries (channel, provider_id, turn_id, status, error_code, at_ms)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (channel, provider_id) DO UPDATE SET
       status = excluded.status, error_code = excluded.error_code,
       turn_id = coalesce(excluded.turn_id, turn_id), at_ms = excluded.at_ms`,
    channel,
    providerId,
    turnId ?? null,
    status.status,
    errorCode ?? null,
    atMs,
  );
  return true;
}
