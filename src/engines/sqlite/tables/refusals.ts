import type { RefusalTable } from "../../embedded/tables.ts";
import { latestRows, newestFirst, type ReadRows } from "../rows.ts";
import type { Statements } from "../statements.ts";

export function refusalTable(sql: Statements, readRows: ReadRows): RefusalTable {
  return {
    put(refusal) {
      const { conversationId, atMs } = refusal;
      sql.run(
        "INSERT INTO refusals (conversation_id, at_ms, record) VALUES (?, ?, ?)",
        conversationId ?? null,
        atMs,
        JSON.stringify(refusal),
      );
    },
    latest: (id, max, bytesMax) =>
      readRows("refusals", latestRows(sql, "refusals", id, max, bytesMax)).reverse(),
    list: (page) => newestFirst(sql, readRows, "refusals", page),
  };
}
