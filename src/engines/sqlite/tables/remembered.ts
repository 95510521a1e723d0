import type { RememberedTable } from "../../embedded/tables.ts";
import { hashedId } from "../hashed-id.ts";
import type { Statements } from "../statements.ts";

const KNOWN = "SELECT 1 FROM remembered WHERE key = ?";
const REMEMBER = "INSERT OR REPLACE INTO remembered (key, until_at_ms) VALUES (?, ?)";
export const FORGET = "DELETE FROM remembered WHERE key = ?";

/** There is no index by time, which would be one more page to write for each message: see `expiry.ts`. */
export function rememberedTable(sql: Statements, salt: string): RememberedTable {
  // A message is looked up, and then remembered: hashed once.
  let latest = { id: "", key: hashedId(salt, "") };
  const keyOf = (id: string) => {
    if (id !== latest.id) latest = { id, key: hashedId(salt, id) };
    return latest.key;
  };
  return {
    has: (id) => sql.get(KNOWN, keyOf(id)) !== undefined,
    add(ids, untilAtMs) {
      for (const id of ids) sql.run(REMEMBER, keyOf(id), untilAtMs);
    },
    forget(ids) {
      for (const id of ids) sql.run(FORGET, keyOf(id));
    },
  };
}
