import type { Row, SharedTables } from "../shared-tables.ts";

export const ID = "8d1f6c3e-conversation";
export const KEY = { primary_channel: "ana", conversation_id: ID };

/** Ana's conversation, as another system writes it. */
export function write(at: SharedTables, row: Row = {}): Promise<void> {
  return at.put("conversations", { ...KEY, task_complete: 0, ...row });
}
