import { DatabaseSync } from "node:sqlite";
import type { AgentInputItem, Session } from "@openai/agents";
import type { Turn } from "lull";

const database = new DatabaseSync(process.env.MEMORY_DB ?? "memory.db", { timeout: 5_000 });
database.exec(`CREATE TABLE IF NOT EXISTS items (
  n INTEGER PRIMARY KEY, conversation TEXT NOT NULL, turn TEXT NOT NULL, item TEXT NOT NULL)`);
const forget = database.prepare("DELETE FROM items WHERE turn = ?");
const clear = database.prepare("DELETE FROM items WHERE conversation = ?");
const add = database.prepare("INSERT INTO items (conversation, turn, item) VALUES (?, ?, ?)");
const drop = database.prepare("DELETE FROM items WHERE n = ?");
const latest = database.prepare("SELECT n, item FROM items WHERE conversation = ? ORDER BY n DESC LIMIT ?");

/** The agent's own memory of a conversation. What an earlier try of this turn left in it is forgotten first. */
export function turnMemory({ id: turn, conversation: { id } }: Turn): Session {
  forget.run(turn);
  return {
    getSessionId: async () => id,
    getItems: async (limit = -1) =>
      latest
        .all(id, limit)
        .reverse()
        .map(({ item }) => JSON.parse(String(item)) as AgentInputItem),
    addItems: async (items) => {
      for (const item of items) add.run(id, turn, JSON.stringify(item));
    },
    popItem: async () => {
      const [row] = latest.all(id, 1);
      if (row === undefined) return undefined;
      drop.run(Number(row.n));
      return JSON.parse(String(row.item)) as AgentInputItem;
    },
    clearSession: async () => void clear.run(id),
  };
}
