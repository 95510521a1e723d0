import type { UnknownSendTable } from "../../embedded/tables.ts";
import type { Quarantine } from "../quarantine.ts";
import { newestFirst, type ReadRows } from "../rows.ts";
import type { Statements } from "../statements.ts";

export function unknownSendTable(
  sql: Statements,
  quarantine: Quarantine,
  readRows: ReadRows,
): UnknownSendTable {
  return {
    put(unknown) {
      const { id, conversationId } = unknown;
      sql.run(
        "INSERT OR REPLACE INTO unknown_sends (id, conversation_id, record) VALUES (?, ?, ?)",
        id,
        conversationId,
        JSON.stringify(unknown),
      );
    },
    get: (id) => quarantine.read("unknown_sends", sql.get("SELECT * FROM unknown_sends WHERE id = ?", id)),
    delete: (id) => void sql.run("DELETE FROM unknown_sends WHERE id = ?", id),
    list: (page) => newestFirst(sql, readRows, "unknown_sends", page),
  };
}
