import type { DeadLetterTable } from "../../embedded/tables.ts";
import type { Quarantine } from "../quarantine.ts";
import { latestRows, newestFirst, type ReadRows } from "../rows.ts";
import type { Statements } from "../statements.ts";

/** How many of a person's dead letters are searched for names. */
const LETTERS_MAX = 1_000;

export function deadLetterTable(
  sql: Statements,
  quarantine: Quarantine,
  readRows: ReadRows,
): DeadLetterTable {
  return {
    put(letter) {
      const { id, conversationId } = letter;
      sql.run(
        "INSERT INTO dead_letters (id, conversation_id, record) VALUES (?, ?, ?)",
        id,
        conversationId,
        JSON.stringify(letter),
      );
    },
    get: (id) => quarantine.read("dead_letters", sql.get("SELECT * FROM dead_letters WHERE id = ?", id)),
    delete: (id) => void sql.run("DELETE FROM dead_letters WHERE id = ?", id),
    of: (id) => readRows("dead_letters", latestRows(sql, "dead_letters", id, LETTERS_MAX)),
    list: (page) => newestFirst(sql, readRows, "dead_letters", page),
  };
}
