import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Item } from "./expression.ts";
import { Recent } from "./recent.ts";
import { TABLES, type TableName } from "./tables.ts";

/** A row that stands in the way of every look need not be told with every one of them. */
const AGAIN_MS = 3_600_000;
const TOLD_MAX = 10_000;

/**
 * Rows that do not fit are passed over and told, never removed: their owner may be alive. Only where one takes the place of a row of
 * ours is it written over, by whoever needs the place.
 */
export class Quarantine {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #toldAtMs = new Recent<number>(TOLD_MAX);

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Those of the items that are ours. */
  sound<T>(table: TableName, items: readonly Item[], from: (item: Item) => T | undefined): T[] {
    return items.flatMap((item) => this.soundOne(table, item, from) ?? []);
  }

  soundOne<T>(table: TableName, item: Item | undefined, from: (item: Item) => T | undefined): T | undefined {
    const made = item && from(item);
    if (item && made === undefined) this.note(table, item);
    return made;
  }

  /** `parts` are the attributes that do not fit, where the rest of the row is ours. */
  note(table: TableName, item: Item, parts?: readonly string[]): void {
    const about = aboutOf(item);
    const key = JSON.stringify([table, about, parts]);
    const nowMs = this.#clock.nowMs();
    if (nowMs < (this.#toldAtMs.get(key) ?? Number.NEGATIVE_INFINITY) + AGAIN_MS) return;
    this.#toldAtMs.set(key, nowMs);
    const names = parts && { attributes: parts.join(", ") };
    this.#log("error", "store.quarantined", { table: TABLES[table].name, rows: 1, ...about, ...names });
  }

  /** One line for all that a sweep came across. */
  noteAll(table: TableName, items: readonly Item[]): void {
    const [first] = items;
    if (!first) return;
    const { name } = TABLES[table];
    this.#log("error", "store.quarantined", { table: name, rows: items.length, ...aboutOf(first) });
  }
}

/** Its key, for whoever wants to look at it. */
function aboutOf({ conversation_id, message_sid, item_id }: Item): { conversation?: string; item?: string } {
  const item = message_sid ?? item_id;
  return {
    ...(conversation_id !== undefined && { conversation: String(conversation_id) }),
    ...(item !== undefined && { item: String(item) }),
  };
}
