import { isoOf } from "../../../src/core/instant.ts";
import type { Item } from "../../../src/engines/aws/dynamo/expression.ts";
import { isMirrored } from "../../../src/engines/aws/items/message-item.ts";
import type { Random } from "../../../src/testing/simulator/random.ts";
import type { MemoryTables } from "./memory-tables.ts";

/** How often it acts between two requests of ours. */
const ACTS = 0.03;
const WORKS_MS = 25_000;
/** How often it dies with a conversation in its hands. */
const DIES = 0.1;

const PROCESSING = "processing_reply";

/**
 * The system that Lull moves in from, still at work: it takes a conversation by writing its status, if it
 * does not say so yet, and gives it back with its own messages added.
 */
export class OtherSystem {
  readonly settings = { honourStatus: true, honourStatusForMs: 20_000, mirrorMessages: 3 };
  /** What it found that must not be. */
  readonly wrongs: string[] = [];
  /** How often it finished its work. */
  finished = 0;
  readonly #random: Random;
  readonly #nowMs: () => number;
  #startedAtMs: number | undefined;
  readonly #heldSinceAtMs = new Map<string, number>();
  readonly #written: string[] = [];
  #tables: MemoryTables | undefined;

  constructor(random: Random, nowMs: () => number) {
    this.#random = random;
    this.#nowMs = nowMs;
  }

  /** Before a request of ours. */
  scribble(tables: MemoryTables): void {
    this.#tables = tables;
    this.#startedAtMs ??= this.#nowMs();
    if (!this.#random.chance(ACTS)) return;
    const rows = tables.all("conversations", undefined, "all");
    if (rows.length === 0) return;
    const row = this.#random.pick(rows);
    const id = String(row.conversation_id);
    const sinceAtMs = this.#heldSinceAtMs.get(id);
    if (sinceAtMs !== undefined) this.#finish(tables, row, sinceAtMs);
    else this.#take(tables, row);
  }

  #take(tables: MemoryTables, row: Item): void {
    // It stops in the end, or a conversation would never come to rest.
    const isOver = this.#nowMs() - this.#startedAtMs! > WORKS_MS;
    if (isOver || row.conversation_status === PROCESSING) return;
    this.#heldSinceAtMs.set(String(row.conversation_id), this.#nowMs());
    tables.write("conversations", row, { ...row, conversation_status: PROCESSING }, 0);
  }

  /** On condition that it still has its lock, as the seeds' last write. */
  #finish(tables: MemoryTables, row: Item, sinceAtMs: number): void {
    const id = String(row.conversation_id);
    this.#heldSinceAtMs.delete(id);
    if (this.#random.chance(DIES)) return;
    const isOld = this.#nowMs() - sinceAtMs >= this.settings.honourStatusForMs;
    if (row.conversation_status !== PROCESSING) {
      if (!isOld) this.wrongs.push(`${id} was taken from it after ${this.#nowMs() - sinceAtMs} ms`);
      return;
    }
    // Ours by now: it would not know, and neither would a check.
    if (isOld) return;
    this.finished += 1;
    const body = `theirs ${this.#written.length}`;
    this.#written.push(body);
    const messages = [...messagesIn(row), { role: "assistant", body, message_sid: body }];
    const updated_at = isoOf(this.#nowMs());
    const done = { ...row, conversation_status: "reply_sent", messages, updated_at };
    tables.write("conversations", row, done, 0);
  }

  /** Every message that it added is in its row, and of ours no more than are wanted. */
  check(): void {
    const rows = this.#tables?.all("conversations", undefined, "all") ?? [];
    const all = rows.flatMap(messagesIn);
    const bodies = new Set(all.map(({ body }) => body));
    for (const body of this.#written) if (!bodies.has(body)) this.wrongs.push(`${body} is lost`);
    for (const row of rows) {
      const id = String(row.conversation_id);
      const ours = messagesIn(row).filter((entry) => isMirrored(entry, id)).length;
      if (ours > this.settings.mirrorMessages) this.wrongs.push(`${ours} messages of ours are in a row`);
    }
  }
}

function messagesIn({ messages }: Item): Item[] {
  return Array.isArray(messages) ? messages : [];
}
