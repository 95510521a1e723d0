import { hash } from "node:crypto";
import type { Fate } from "../../../model/staged.ts";
import type { RememberedTable } from "../../embedded/tables.ts";
import type { Quarantine } from "../quarantine.ts";
import type { Statements } from "../statements.ts";
import { STAGED_ROW } from "./staged.ts";

const STAGED_AS = `${STAGED_ROW} WHERE id = ?`;

/** Salted hashes: they stay when a person is erased. */
export function rememberedTable(sql: Statements, quarantine: Quarantine, salt: string): RememberedTable {
  const hashed = (id: string) => hash("sha256", salt + id, "buffer").subarray(0, 16);
  return {
    seenBefore(id) {
      // Both in one call: every message asks, and the call into SQLite costs more than the lookup.
      const row = sql.get(
        `SELECT (SELECT fate FROM remembered WHERE key = ?) AS fate,
                (SELECT conversation_id FROM staged WHERE id = ?) AS staged_in`,
        hashed(id),
        id,
      );
      const fate = row?.fate as Fate | null;
      if (fate !== null) return { fate };
      if (row?.staged_in === null) return {};
      // A foreign row is set aside by this read: then the provider has just brought a good copy.
      const staged = quarantine.read("staged", sql.get(STAGED_AS, id));
      return staged ? { stagedIn: staged.conversationId } : {};
    },
    add(ids, fate, untilAtMs) {
      for (const id of ids) {
        sql.run(
          "INSERT OR REPLACE INTO remembered (key, fate, until_at_ms) VALUES (?, ?, ?)",
          hashed(id),
          fate,
          untilAtMs,
        );
      }
    },
    forget(ids) {
      for (const id of ids) sql.run("DELETE FROM remembered WHERE key = ?", hashed(id));
    },
  };
}
