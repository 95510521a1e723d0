import type { QuarantinedRow } from "../../../ports/inspector.ts";
import type { QuarantineTable } from "../../embedded/tables.ts";
import type { Quarantine } from "../quarantine.ts";
import { newestRows, type ReadRows } from "../rows.ts";
import type { TableName } from "../sound-rows.ts";
import type { Row, Statements } from "../statements.ts";

export function quarantineTable(
  sql: Statements,
  quarantine: Quarantine,
  readRows: ReadRows,
): QuarantineTable {
  return {
    add(strays) {
      for (const { table, key } of strays) {
        const place = { table: table as TableName, key };
        readRows(place.table, quarantine.rowsAt(place));
      }
    },
    discard: (id) => sql.run("DELETE FROM quarantine WHERE number = ?", Number(id)) > 0,
    list(page) {
      const { rows, ...next } = newestRows(sql, "quarantine", page);
      return { items: rows.map(quarantinedFrom), ...next };
    },
  };
}

export function quarantinedFrom(row: Row): QuarantinedRow {
  const { number, source, key, conversation_id: conversationId, why, at_ms: atMs, raw } = row;
  return {
    id: String(number),
    table: String(source),
    key: String(key),
    ...(conversationId !== null && { conversationId: String(conversationId) }),
    why: String(why),
    raw: String(raw),
    atMs: Number(atMs),
  };
}
