import type { Sound } from "../../../core/shape.ts";
import type { Log } from "../../../model/log.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Item } from "../dynamo/expression.ts";
import { TABLES, type TableName } from "../dynamo/tables.ts";
import { Recent } from "./recent.ts";

/** A row that stands in the way of every look need not be told with every one of them. */
const AGAIN_MS = 3_600_000;
const TOLD_MAX = 10_000;

/**
 * What is read may not be ours. Rows that do not fit are passed over and told, never removed: their owner may be alive. Only where one
 * takes the place of a row of ours is it written over, by whoever needs the place.
 */
export class Quarantine {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #hashed: (messageId: string) => string;
  readonly #toldAtMs = new Recent<number>(TOLD_MAX);

  /** `hashed` is what a log may say in place of a message's id: a web visitor's holds their name. */
  constructor(log: Log, clock: Clock, hashed: (messageId: string) => string) {
    this.#log = log;
    this.#clock = clock;
    this.#hashed = hashed;
  }

  /** Those of the items that are ours. */
  sound<T>(table: TableName, items: readonly Item[], from: (item: Item) => Sound<T>): T[] {
    return items.flatMap((item) => this.soundOne(table, item, from) ?? []);
  }

  soundOne<T>(table: TableName, item: Item | undefined, from: (item: Item) => Sound<T>): T | undefined {
    if (!item) return undefined;
    const read = from(item);
    if (read.kind === "sound") return read.value;
    this.#note(table, item, read.why);
    return undefined;
  }

  #note(table: TableName, item: Item, why: string): void {
    const key = JSON.stringify([table, this.#about(item)]);
    const nowMs = this.#clock.nowMs();
    if (nowMs < (this.#toldAtMs.get(key) ?? Number.NEGATIVE_INFINITY) + AGAIN_MS) return;
    this.#toldAtMs.set(key, nowMs);
    this.tell(table, [item], why);
  }

  /** One line for all that somebody came across at once. `turn`: whose reply may have gone out. */
  tell(table: TableName, items: readonly Item[], why: string, turn?: string): void {
    const [first] = items;
    if (!first) return;
    const about = { table: TABLES[table].name, rows: items.length, ...this.#about(first), why };
    this.#log("error", "store.quarantined", turn === undefined ? about : { ...about, turn });
  }

  /** Its key, for whoever wants to look at it; `lull quarantine` has it in clear. */
  #about({ conversation_id, message_sid, item_id }: Item): { conversation?: string; item?: string } {
    const item = message_sid === undefined ? item_id : this.#hashed(String(message_sid));
    return {
      ...(conversation_id !== undefined && { conversation: String(conversation_id) }),
      ...(item !== undefined && { item: String(item) }),
    };
  }
}
