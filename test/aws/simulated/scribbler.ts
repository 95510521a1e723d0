import type { Item } from "../../../src/engines/aws/dynamo/expression.ts";
import type { Random } from "../../../src/testing/simulator/random.ts";
import { long } from "./long-numbers.ts";
import type { MemoryTables } from "./memory-tables.ts";

/** How often another system writes between two requests of ours. */
const SCRIBBLED = 0.01;

/** Staged messages as the original system writes them, and as a person would. */
const STAGED: readonly Item[] = [
  { received_at: "soon", body: null },
  { received_at: "2026-01-01T10:00:00", body: "left over", primary_channel: "+15550100", expires_at: 1 },
  { received_at: 1_767_225_600, body: "left over", primary_channel: "whatsapp:+15550100" },
  { received_at: long("1767225600123456789"), sequence: long("1e100"), body: "left over" },
  { context_object: { message_sid: "SM1", body: "left over" }, target_queue_url: "https://queue.example" },
];

/** Trigger locks: expired, standing, and without a time. */
const LOCKS: readonly Item[] = [
  { expires_at: 1 },
  { expires_at: 4_102_444_800 },
  { expires_at: null },
  { expires_at: long("1767225600.1234567165374755859375") },
];

/** What a row of its own says: numbers of more digits than JavaScript holds among it. */
const SAID: readonly Item[] = [
  {},
  { total_tokens_sum: long("9223372036854775807"), initial_processing_time_ms: long("1e-30") },
  { attributes: { chat: long("9007199254740993") } },
  { messages: [{ role: "user", body: "theirs", tokens: long("0.10000000000000000000000001") }] },
];

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
        const item = { conversation_id: id, message_sid, ...this.#next(STAGED) };
        tables.write("stage", item, item, 0);
        return;
      }
      case 1: {
        const lock = { conversation_id: id, ...this.#next(LOCKS) };
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
        const said = { prompt_tokens: tokens, reply_window: 7, ...this.#next(SAID) };
        tables.write("conversations", row, { ...row, ...said }, 0);
      }
    }
  }

  /** One after the other, and not by chance: earlier runs keep their course. */
  #next(rows: readonly Item[]): Item {
    return rows[this.#count % rows.length]!;
  }
}
