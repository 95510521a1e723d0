import { type Attributes, exactItem, marshalled, plainItem } from "../../../src/engines/aws/dynamo/exact.ts";
import type { Change, Condition, Item } from "../../../src/engines/aws/dynamo/expression.ts";
import { canBeFound, canStand } from "../../../src/engines/aws/dynamo/key-size.ts";
import type {
  Action,
  PageOfItems,
  Reading,
  ReturnedItem,
  Store,
  Transacted,
  Written,
} from "../../../src/engines/aws/dynamo/store.ts";
import {
  type AnyTable,
  keyNames,
  TABLES,
  type TableName,
  type TableNames,
} from "../../../src/engines/aws/dynamo/tables.ts";
import { transactItems } from "../../../src/engines/aws/dynamo/wire.ts";
import { itemBytes } from "../../../src/engines/aws/items/item-size.ts";
import type { RequestName } from "../../../src/testing/simulator/plan.ts";
import { ImpossibleWrite } from "../../../src/wire/aws-failure.ts";
import { changed, holds } from "./evaluate.ts";
import { comparePlaces, type MemoryTables, placeNames } from "./memory-tables.ts";

/** What one item of DynamoDB may have. */
const ITEM_BYTES = 400 * 1_024;

export interface Surroundings {
  /** A request on its way there, and back. */
  readonly delay: () => Promise<void>;
  /** How many requests until an index shows a write; 0: at once. */
  readonly indexLag: () => number;
  readonly sees: "all" | "what has arrived";
  /** Others who write into the same tables. */
  readonly scribble: (tables: MemoryTables) => void;
  /** The answer got lost and the request was made again. */
  readonly repeats: () => boolean;
  /** The faults that the run has for a request. */
  readonly meets: <T>(name: RequestName, happen: () => Promise<T>) => Promise<T>;
  /** Where a page ends though there is more, as DynamoDB's pages do at a megabyte. */
  readonly pageRowsMax?: number;
}

/**
 * The store that the steps ask, for one worker. Every request happens at one instant, somewhere between its
 * two delays.
 */
export class MemoryStore implements Store {
  readonly #tables: MemoryTables;
  readonly #around: Surroundings;

  constructor(tables: MemoryTables, around: Surroundings) {
    this.#tables = tables;
    this.#around = around;
  }

  get(table: TableName, key: Item): Promise<Item | undefined> {
    return this.#request("request.get", () =>
      canStand(table, key) ? this.#tables.read(table, key) : undefined,
    );
  }

  put(table: TableName, item: Item, condition?: Condition): Promise<Written> {
    return this.#write("request.put", { kind: "put", table, item, ...(condition && { condition }) });
  }

  update(
    table: TableName,
    key: Item,
    change: Change,
    condition?: Condition,
    returns: ReturnedItem = "NONE",
  ): Promise<Written> {
    const action: Action = { kind: "update", table, key, change, ...(condition && { condition }) };
    return this.#write("request.update", action, returns);
  }

  delete(table: AnyTable, key: Item, condition?: Condition): Promise<Written> {
    const action: Action = { kind: "delete", table, key, ...(condition && { condition }) };
    return this.#write("request.delete", action, "ALL_OLD");
  }

  async query(table: TableName, reading: Reading): Promise<Item[]> {
    const items: Item[] = [];
    for (let { from, limit } = reading; ; ) {
      const page = await this.queryPage(table, { ...reading, from, ...(limit !== undefined && { limit }) });
      items.push(...page.items);
      from = page.next;
      if (limit !== undefined) limit -= page.items.length;
      if (!from || limit === 0) return items;
    }
  }

  queryPage(table: TableName, reading: Reading): Promise<PageOfItems> {
    return this.#request("request.query", () =>
      canBeFound(reading.key) ? this.#page(table, reading) : { items: [] },
    );
  }

  scanPage(table: AnyTable, reading: Omit<Reading, "key">): Promise<PageOfItems> {
    return this.#request("request.scan", () => this.#page(table, reading));
  }

  count(table: TableName, reading: Reading = {}): Promise<number> {
    return this.#request(
      "request.query",
      () => this.#page(table, reading, Number.POSITIVE_INFINITY).items.length,
    );
  }

  getMany(table: TableName, keys: readonly Item[]): Promise<Item[]> {
    const distinct = [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
    return this.#request("request.getMany", () =>
      distinct
        .filter((key) => canStand(table, key))
        .map((key) => this.#tables.read(table, key))
        .filter((item) => item !== undefined),
    );
  }

  async writeMany(
    table: TableName,
    writes: { readonly put?: readonly Item[]; readonly delete?: readonly Item[] },
  ): Promise<void> {
    for (const item of writes.put ?? []) await this.put(table, item);
    for (const key of writes.delete ?? []) await this.delete(table, key);
  }

  async transact(actions: readonly Action[], token: string): Promise<Transacted> {
    sayable(actions);
    const content = JSON.stringify(actions);
    return this.#request("request.transact", (): Transacted => {
      const before = this.#tables.done.get(token);
      if (before !== undefined && before !== content) throw new Error("the same token with another content");
      // The same request again: it is done already.
      if (before !== undefined) return { kind: "done" };
      const standing = actions.map((action) => this.#tables.stored(action.table, keyOf(action)));
      const refused = actions.flatMap(({ condition }, at) => (holds(condition, standing[at]) ? [] : [at]));
      if (refused.length > 0) return { kind: "refused", by: new Map(refused.map(plainAt(standing))) };
      const made = actions.map((action, at) => possible(action, standing[at], at));
      for (const [at, action] of actions.entries())
        this.#tables.store(action.table, keyOf(action), made[at], this.#around.indexLag());
      this.#tables.done.set(token, content);
      return { kind: "done" };
    });
  }

  async #write(name: RequestName, action: Action, returns: ReturnedItem = "NONE"): Promise<Written> {
    sayable([action]);
    return this.#request(name, () => {
      const key = keyOf(action);
      const before = this.#tables.stored(action.table, key);
      if (!holds(action.condition, before))
        return { kind: "refused", ...(before && { item: plainItem(before) }) };
      const made = possible(action, before);
      this.#tables.store(action.table, key, made, this.#around.indexLag());
      const item = returns === "NONE" ? undefined : returns === "ALL_NEW" ? made : before;
      return { kind: "done", ...(item && { item: plainItem(item) }) };
    });
  }

  #page(
    table: AnyTable,
    { index, key, filter, limit, from, newestFirst }: Reading,
    rowsMax = this.#around.pageRowsMax ?? Number.POSITIVE_INFINITY,
  ): PageOfItems {
    if (limit !== undefined && limit < 1) throw new Error("a limit of less than one row is refused");
    const names = placeNames(table, index);
    const direction = newestFirst ? -1 : 1;
    const order = (a: Attributes, b: Attributes) => comparePlaces(names, a, b) * direction;
    const start = from && marshalled(from);
    const found = this.#tables
      .rows(table, index, this.#around.sees, key)
      .filter((item) => holds(key, item) && (!start || order(start, item) < 0))
      .sort(order);
    const page = found.slice(0, Math.min(limit ?? rowsMax, rowsMax));
    const last = page.length < found.length ? page.at(-1) : undefined;
    const items = page.filter((item) => holds(filter, item)).map(plainItem);
    return { items, ...(last && { next: exactItem(partOf(last, names)) }) };
  }

  async #request<T>(name: RequestName, happen: () => T): Promise<T> {
    await this.#around.delay();
    this.#tables.requests += 1;
    this.#around.scribble(this.#tables);
    const first = await this.#around.meets(name, async () => happen());
    if (!this.#around.repeats()) {
      await this.#around.delay();
      return first;
    }
    await this.#around.delay();
    await this.#around.delay();
    return happen();
  }
}

/** What production's request would be: it refuses what no request can say, before anything happens. */
function sayable(actions: readonly Action[]): void {
  transactItems(NAMES, actions);
}

const NAMES = Object.fromEntries(Object.keys(TABLES).map((name) => [name, name])) as TableNames;

function keyOf(action: Action): Attributes {
  const { table } = action;
  const from = marshalled(action.kind === "put" ? action.item : action.key);
  return partOf(from, keyNames(table));
}

function partOf(item: Attributes, names: readonly string[]): Attributes {
  return Object.fromEntries(names.map((name) => [name, item[name]!]));
}

/** What an action makes of an item; undefined removes it. */
function after(action: Action, before: Attributes | undefined): Attributes | undefined {
  switch (action.kind) {
    case "put":
      return marshalled(action.item);
    case "delete":
      return undefined;
    case "update":
      return changed({ ...before, ...marshalled(action.key) }, action.change);
  }
}

function plainAt(items: readonly (Attributes | undefined)[]) {
  return (at: number): [number, Item | undefined] => {
    const item = items[at];
    return [at, item && plainItem(item)];
  };
}

/** The item after an action, unless it cannot be, or grows too large. `at`: its place in a transaction. */
function possible(action: Action, before: Attributes | undefined, at?: number): Attributes | undefined {
  const impossible = (why: string) =>
    new ImpossibleWrite(why, undefined, new Set(at === undefined ? [] : [at]));
  try {
    if (!canStand(action.table, action.kind === "put" ? action.item : action.key))
      throw impossible("a key is empty, or too long");
    const made = after(action, before);
    const isTooLarge = made && itemBytes(plainItem(made)) > ITEM_BYTES;
    if (isTooLarge) throw impossible("an item is too large");
    return made;
  } catch (error) {
    throw error instanceof ImpossibleWrite ? impossible(error.message) : error;
  }
}
