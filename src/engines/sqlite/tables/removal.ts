import type { Removal } from "../../embedded/tables.ts";
import { expire } from "../expiry.ts";
import { isAbout } from "../named-rows.ts";
import type { Statements } from "../statements.ts";
import { noteErased, tracesLeft } from "../traces.ts";

const BELONGING = [
  "staged",
  "states",
  "messages",
  "turns",
  "dead_letters",
  "unknown_sends",
  "refusals",
  "quarantine",
];

/** What the provider said of our sends: of committed turns, of the running one, of dead letters. */
const DELIVERIES = `DELETE FROM deliveries WHERE turn_id IN (
  SELECT turn_id FROM turns WHERE conversation_id = ?1
  UNION ALL SELECT turn_id FROM states WHERE conversation_id = ?1
  UNION ALL SELECT CASE WHEN json_valid(record) THEN json_extract(record, '$.draft.turnId') END
    FROM dead_letters WHERE conversation_id = ?1)`;

export function removal(sql: Statements): Removal {
  return {
    conversation(id) {
      sql.run(DELIVERIES, id);
      const belonging = BELONGING.map((table) =>
        sql.run(`DELETE FROM ${table} WHERE conversation_id = ?`, id),
      );
      const record = sql.run("DELETE FROM conversations WHERE id = ?", id);
      const isFound = record > 0 || belonging.some((rows) => rows > 0);
      if (isFound) noteErased(sql);
      return isFound;
    },
    named(names) {
      for (const name of names) {
        // There is no index by name: each refusal of a stranger would cost one more page. Erasures are rare.
        sql.run("DELETE FROM refusals WHERE instr(record, ?) > 0", `"sender":${JSON.stringify(name)}`);
      }
      for (const number of quarantined(sql, (raw) => isAbout(raw, names)))
        sql.run("DELETE FROM quarantine WHERE number = ?", number);
    },
    tracesLeft: () => tracesLeft(sql),
    expire: (past, max) => expire(sql, past, max),
  };
}

/** In small pages: a row may be large, and their number is unlimited. */
function quarantined(sql: Statements, isWanted: (raw: string) => boolean): number[] {
  const wanted: number[] = [];
  for (let last = 0; ; ) {
    const rows = sql.all(
      "SELECT number, raw FROM quarantine WHERE number > ? ORDER BY number LIMIT 50",
      last,
    );
    for (const { number, raw } of rows) if (isWanted(String(raw))) wanted.push(Number(number));
    if (rows.length === 0) return wanted;
    last = Number(rows.at(-1)?.number);
  }
}
