import type { Sound } from "../../../core/shape.ts";
import type { Log } from "../../../model/log.ts";
import type { Item } from "../dynamo/expression.ts";
import { TABLES, type TableName } from "../dynamo/tables.ts";
import { Recent } from "../recent.ts";

/** A row that every look meets is told, and counted, once. */
const TOLD_MAX = 10_000;

/**
 * Rows that are read may be foreign. Those that do not fit are skipped and reported, never removed: their
 * owner may still use them. Only a row in the place of one of ours is overwritten, by the step that needs the
 * place.
 */
export class Quarantine {
  readonly #log: Log;
  readonly #hashed: (messageId: string) => string;
  readonly #told = new Recent<true>(TOLD_MAX);

  /** `hashed` is what a log may say in place of a message's id: a web visitor's id holds their name. */
  constructor(log: Log, hashed: (messageId: string) => string) {
    this.#log = log;
    this.#hashed = hashed;
  }

  /** The items that are ours. */
  sound<T>(table: TableName, items: readonly Item[], from: (item: Item) => Sound<T>): T[] {
    return items.flatMap((item) => this.soundOne(table, item, from) ?? []);
  }

  soundOne<T>(table: TableName, item: Item | undefined, from: (item: Item) => Sound<T>): T | undefined {
    if (!item) return undefined;
    const read = from(item);
    if (read.kind === "sound") return read.value;
    this.tellNew(table, [item], read.why);
    return undefined;
  }

  /** Of a read that meets the same rows again and again: those that were not told before. */
  tellNew(table: TableName, items: readonly Item[], why: string): void {
    const untold = items.filter((item) => {
      const key = JSON.stringify([table, this.#about(item)]);
      const isNew = this.#told.get(key) === undefined;
      this.#told.set(key, true);
      return isNew;
    });
    this.tell(table, untold, why);
  }

  /** One line for all foreign rows of one read. `turn`: the turn whose reply may have gone out. */
  tell(table: TableName, items: readonly Item[], why: string, turn?: string): void {
    const [first] = items;
    if (!first) return;
    const about = { table: TABLES[table].name, rows: items.length, ...this.#about(first), reason: why };
    this.#log("error", "store.quarantined", turn === undefined ? about : { ...about, turn });
  }

  /** Its key, so that an operator can look at it; `lull quarantine` shows it in clear. */
  #about({ conversation_id, message_sid, item_id }: Item): { conversation?: string; item?: string } {
    const item = message_sid === undefined ? item_id : this.#hashed(String(message_sid));
    return {
      ...(conversation_id !== undefined && { conversation: String(conversation_id) }),
      ...(item !== undefined && { item: String(item) }),
    };
  }
}
