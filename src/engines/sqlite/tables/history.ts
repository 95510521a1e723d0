import { latestWithin } from "../../../core/history.ts";
import { sentInDraft, sentInTurn } from "../../../core/sent.ts";
import type { HistoryTable } from "../../embedded/tables.ts";
import { latestRows, type ReadRows } from "../rows.ts";
import type { Statements } from "../statements.ts";

/** A turn and what was said in it are one row. */
const APPEND = `INSERT INTO turns (turn_id, conversation_id, committed_at_ms, record, messages)
  VALUES (?, ?, ?, ?, ?)`;
const SAID = { columns: "number, messages", long: "messages" };

export function historyTable(sql: Statements, readRows: ReadRows): HistoryTable {
  const turns = (id: string, max: number, bytesMax?: number) =>
    readRows("turns", latestRows(sql, "turns", id, max, bytesMax)).flatMap(({ turn }) => turn ?? []);
  return {
    append(turn, messages) {
      sql.run(
        APPEND,
        turn.turnId,
        turn.conversationId,
        turn.committedAtMs,
        JSON.stringify(turn),
        JSON.stringify(messages),
      );
    },
    messages(id, max, bytesMax) {
      const said = readRows("turns", latestRows(sql, "turns", id, max, bytesMax, SAID))
        .reverse()
        .flatMap(({ messages }) => messages);
      // In 0.1.0 and early builds of 0.2.0 each was a row of its own.
      const missing = max - said.length;
      const older =
        missing > 0 ? readRows("messages", latestRows(sql, "messages", id, missing, bytesMax)) : [];
      const all = [...older.reverse(), ...said];
      return latestWithin(all.slice(Math.max(0, all.length - max)), bytesMax);
    },
    turns: (id, max, bytesMax) => turns(id, max, bytesMax).reverse(),
    sent(id, max = Number.MAX_SAFE_INTEGER) {
      const letters = readRows("dead_letters", latestRows(sql, "dead_letters", id, max));
      return [...turns(id, max).flatMap(sentInTurn), ...letters.flatMap(({ draft }) => sentInDraft(draft))];
    },
  };
}
