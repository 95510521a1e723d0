import { latestWithin } from "../../../core/history.ts";
import { sentInDraft, sentInTurn } from "../../../core/sent.ts";
import type { HistoryTable } from "../../embedded/tables.ts";
import { latestRows, type ReadRows } from "../rows.ts";
import type { Statements } from "../statements.ts";

/** A turn and what was said in it are one row. */
const APPEND = `INSERT INTO turns (turn_id, conversation_id, committed_at_ms, record, messages)
  VALUES (?, ?, ?, ?, ?)`;
/** All of the latest or none: the sizes are known without reading the messages. */
export const SHORT = `WITH latest AS MATERIALIZED (
    SELECT number, octet_length(messages) AS bytes FROM turns WHERE conversation_id = ?1
      AND number <= ${Number.MAX_SAFE_INTEGER} ORDER BY number DESC LIMIT ?2)
  SELECT turns.number, messages FROM latest JOIN turns USING (number)
    WHERE (SELECT total(bytes) FROM latest) <= ?3 ORDER BY turns.number DESC`;
export const HAS_ANY = "SELECT 1 FROM turns WHERE conversation_id = ? LIMIT 1";
export const HAS_OLDER = "SELECT 1 FROM messages WHERE conversation_id = ? LIMIT 1";
const SAID = { columns: "number, messages", long: "messages" };

export function historyTable(sql: Statements, readRows: ReadRows): HistoryTable {
  const turns = (id: string, max: number, bytesMax?: number) =>
    readRows("turns", latestRows(sql, "turns", id, max, bytesMax)).flatMap(({ turn }) => turn ?? []);
  /** What was said in the latest turns; nothing where that is long. */
  const short = (id: string, turnsMax: number, bytesMax: number) => {
    const rows = sql.all(SHORT, id, turnsMax, bytesMax).reverse();
    const messages = readRows("turns", rows).flatMap((row) => row.messages);
    return { turns: rows.length, messages, isAll: rows.length < turnsMax };
  };
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
    shortMessages(id, max, bytesMax) {
      // Nearly every turn has two sides: half as many turns are enough.
      const half = short(id, Math.ceil(max / 2), bytesMax);
      const said = half.isAll || half.messages.length >= max ? half : short(id, max, bytesMax);
      const isLong = said.turns === 0 && sql.get(HAS_ANY, id) !== undefined;
      // Messages of an older version are rarely needed, and are not looked for while others wait.
      if (isLong || (said.messages.length < max && sql.get(HAS_OLDER, id) !== undefined)) return undefined;
      return said.messages.slice(Math.max(0, said.messages.length - max));
    },
    turns: (id, max, bytesMax) => turns(id, max, bytesMax).reverse(),
    sent(id, max = Number.MAX_SAFE_INTEGER) {
      const letters = readRows("dead_letters", latestRows(sql, "dead_letters", id, max));
      return [...turns(id, max).flatMap(sentInTurn), ...letters.flatMap(({ draft }) => sentInDraft(draft))];
    },
  };
}
