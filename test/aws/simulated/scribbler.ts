import type { Random } from "../../../src/testing/simulator/random.ts";
import type { MemoryTables } from "./memory-store.ts";

/** How often another system writes between two requests of ours. */
const SCRIBBLED = 0.01;

/**
 * Another system with tables of the same names, or a person with a console: rows that are not ours appear
 * next to ours, and in places that we want. It removes nothing of ours: overwriting a window or a state of
 * ours may break promises.
 */
export class Scribbler {
  readonly #random: Random;
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Before a request, now and then. */
  scribble(tables: MemoryTables): void {
    if (!this.#random.chance(SCRIBBLED)) return;
    const rows = tables.all("conversations", undefined, "all");
    if (rows.length === 0) return;
    const row = this.#random.pick(rows);
    const id = String(row.conversation_id);
    this.#count += 1;
    switch (this.#random.below(4)) {
      case 0: {
        const message_sid = this.#random.chance(0.5) ? `theirs-${this.#count}` : "";
        const item = { conversation_id: id, message_sid, received_at: "soon", body: null };
        tables.write("stage", item, item, 0);
        return;
      }
      case 1: {
        const lock = { conversation_id: id, expires_at: 1 };
        if (!tables.read("triggerLock", lock)) tables.write("triggerLock", lock, lock, 0);
        return;
      }
      case 2: {
        const item = { conversation_id: id, item_id: `m#${this.#count}`, parts: "none" };
        tables.write("messages", item, item, 0);
        return;
      }
      default: {
        const tokens = this.#random.pick([null, "many"]);
        tables.write("conversations", row, { ...row, prompt_tokens: tokens, reply_window: 7 }, 0);
      }
    }
  }
}
