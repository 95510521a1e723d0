import type { Change, Condition, Item } from "../../../src/engines/aws/dynamo/expression.ts";
import type {
  Action,
  PageOfItems,
  Reading,
  ReturnedItem,
  Store,
  Transacted,
  Written,
} from "../../../src/engines/aws/dynamo/store.ts";
import { type AnyTable, keyedAs, TABLES, type TableName } from "../../../src/engines/aws/dynamo/tables.ts";
import { itemBytes } from "../../../src/engines/aws/items/item-size.ts";
import type { RequestName } from "../../../src/testing/simulator/plan.ts";
import { ImpossibleWrite } from "../../../src/wire/aws-failure.ts";
import { changed, holds, plain } from "./evaluate.ts";

/** What one item of DynamoDB may have. */
const ITEM_BYTES = 400 * 1_024;

interface Version {
  readonly item: Item | undefined;
  /** After how many requests to the tables the indexes show it. */
  readonly indexedAt: number;
}

const VERSIONS_MAX = 8;

/** Our tables, and others beside them, that many workers share. An index shows what was true a moment ago. */
export class MemoryTables {
  readonly #tables = new Map<string, Map<string, Version[]>>();
  /** By table and partition key: a read of one conversation must not look through all of them. */
  readonly #partitions = new Map<string, Map<unknown, Set<string>>>();
  readonly #done = new Map<string, string>();
  /** Counts every request: indexes lag by requests, since the workers' clocks may jump. */
  requests = 0;

  read(table: AnyTable, key: Item): Item | undefined {
    const item = this.#rows(table).get(keyText(table, key))?.at(-1)?.item;
    return item && plain(item);
  }

  write(table: AnyTable, key: Item, item: Item | undefined, lag: number): void {
    const rows = this.#rows(table);
    const text = keyText(table, key);
    const versions = [
      ...(rows.get(text) ?? []),
      { item: item && plain(item), indexedAt: this.requests + lag },
    ];
    rows.set(text, versions.slice(-VERSIONS_MAX));
    const parts = this.#partsOf(table);
    const partition = key[keyedAs(table).partitionKey.name];
    parts.set(partition, (parts.get(partition) ?? new Set()).add(text));
  }

  /** Everything in the table, or, of an index, everything that has its keys and has arrived there. */
  all(table: AnyTable, index: string | undefined, sees: "all" | "what has arrived", key?: Condition): Item[] {
    const rows = this.#rows(table);
    if (index === undefined) {
      const partition = valueIn(key, keyedAs(table).partitionKey.name);
      const texts = partition === undefined ? rows.keys() : (this.#partsOf(table).get(partition) ?? []);
      return present([...texts].map((text) => rows.get(text)?.at(-1)?.item));
    }
    const definition = indexOf(table, index);
    const { partitionKey, sortKey } = definition!;
    const hasArrived = ({ indexedAt }: Version) => sees === "all" || indexedAt <= this.requests;
    const arrived = [...rows.values()].map((versions) => versions.findLast(hasArrived)?.item);
    const wanted = valueIn(key, partitionKey.name);
    const isThere = (item: Item | undefined) => wanted === undefined || item?.[partitionKey.name] === wanted;
    return present(arrived.filter(isThere)).filter(
      (item) => item[partitionKey.name] !== undefined && (!sortKey || item[sortKey.name] !== undefined),
    );
  }

  /** Transactions that were carried out, by their token, with their content. */
  get done(): Map<string, string> {
    return this.#done;
  }

  #rows(table: AnyTable): Map<string, Version[]> {
    const rows = this.#tables.get(nameOf(table)) ?? new Map<string, Version[]>();
    this.#tables.set(nameOf(table), rows);
    return rows;
  }

  #partsOf(table: AnyTable): Map<unknown, Set<string>> {
    const parts = this.#partitions.get(nameOf(table)) ?? new Map<unknown, Set<string>>();
    this.#partitions.set(nameOf(table), parts);
    return parts;
  }
}

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
    return this.#request("request.get", () => this.#tables.read(table, key));
  }

  put(table: TableName, item: Item, condition?: Condition): Promise<Written> {
    return this.#request("request.put", () => this.#write(table, item, condition, () => item, "NONE"));
  }

  update(
    table: TableName,
    key: Item,
    change: Change,
    condition?: Condition,
    returns: ReturnedItem = "NONE",
  ): Promise<Written> {
    const after = (before: Item | undefined) => changed({ ...before, ...key }, change);
    return this.#request("request.update", () => this.#write(table, key, condition, after, returns));
  }

  delete(table: AnyTable, key: Item, condition?: Condition): Promise<Written> {
    return this.#request("request.delete", () =>
      this.#write(table, key, condition, () => undefined, "ALL_OLD"),
    );
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
    return this.#request("request.query", () => this.#page(table, reading));
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
    const distinct = [...new Map(keys.map((key) => [keyText(table, key), key])).values()];
    return this.#request("request.getMany", () =>
      present(distinct.map((key) => this.#tables.read(table, key))),
    );
  }

  async writeMany(
    table: TableName,
    writes: { readonly put?: readonly Item[]; readonly delete?: readonly Item[] },
  ): Promise<void> {
    for (const item of writes.put ?? []) await this.put(table, item);
    for (const key of writes.delete ?? []) await this.delete(table, key);
  }

  transact(actions: readonly Action[], token: string): Promise<Transacted> {
    const content = JSON.stringify(actions);
    return this.#request("request.transact", (): Transacted => {
      const before = this.#tables.done.get(token);
      if (before !== undefined && before !== content) throw new Error("the same token with another content");
      // The same request again: it is done already.
      if (before !== undefined) return { kind: "done" };
      const by = new Map<number, Item | undefined>();
      for (const [at, action] of actions.entries()) {
        const before = this.#tables.read(action.table, keyOf(action));
        if (!holds(action.condition, before)) by.set(at, before);
      }
      if (by.size > 0) return { kind: "refused", by };
      const impossible = actions.flatMap((action, at) => (this.#isImpossible(action) ? [at] : []));
      if (impossible.length > 0) throw new ImpossibleWrite("no number", undefined, new Set(impossible));
      for (const action of actions) this.#apply(action);
      this.#tables.done.set(token, content);
      return { kind: "done" };
    });
  }

  /** An addition to an attribute that is no number, or an item that grows too large. */
  #isImpossible(action: Action): boolean {
    if (action.kind !== "update") return false;
    const { add = {}, sum = {} } = action.change;
    const before = this.#tables.read(action.table, keyOf(action)) ?? {};
    const start = (name: string, from = name) => (before[name] === undefined ? before[from] : before[name]);
    const starts = [
      ...Object.keys(add).map((name) => start(name)),
      ...Object.entries(sum).map(([name, { from }]) => start(name, from)),
    ];
    if (starts.some((value) => value !== undefined && typeof value !== "number")) return true;
    return itemBytes(changed({ ...before, ...action.key }, action.change)) > ITEM_BYTES;
  }

  #apply(action: Action): void {
    const key = keyOf(action);
    const before = this.#tables.read(action.table, key);
    const after =
      action.kind === "put"
        ? action.item
        : action.kind === "update"
          ? changed({ ...before, ...action.key }, action.change)
          : undefined;
    this.#tables.write(action.table, key, after, this.#around.indexLag());
  }

  #write(
    table: AnyTable,
    key: Item,
    condition: Condition | undefined,
    change: (before: Item | undefined) => Item | undefined,
    returns: ReturnedItem,
  ): Written {
    const before = this.#tables.read(table, key);
    if (!holds(condition, before)) return { kind: "refused", ...(before && { item: before }) };
    const after = change(before);
    this.#tables.write(table, key, after, this.#around.indexLag());
    const item = returns === "NONE" ? undefined : returns === "ALL_NEW" ? after && plain(after) : before;
    return { kind: "done", ...(item && { item }) };
  }

  #page(
    table: AnyTable,
    { index, key, filter, limit, from, newestFirst }: Reading,
    rowsMax = this.#around.pageRowsMax ?? Number.POSITIVE_INFINITY,
  ): PageOfItems {
    if (limit !== undefined && limit < 1) throw new Error("a limit of less than one row is refused");
    const found = this.#tables
      .all(table, index, this.#around.sees, key)
      .filter((item) => holds(key, item))
      .map((item) => ({ item, order: sortText(table, index, item) }))
      .sort((a, b) => (a.order < b.order ? -1 : 1) * (newestFirst ? -1 : 1))
      .map(({ item }) => item);
    const start =
      from === undefined ? 0 : found.findIndex((item) => keyText(table, item) === keyText(table, from)) + 1;
    const page = found.slice(start, start + Math.min(limit ?? rowsMax, rowsMax));
    const last = start + page.length < found.length ? page.at(-1) : undefined;
    return { items: page.filter((item) => holds(filter, item)), ...(last && { next: last }) };
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

function present(items: readonly (Item | undefined)[]): Item[] {
  return items.filter((item) => item !== undefined).map(plain);
}

function keyOf(action: Action): Item {
  return action.kind === "put" ? action.item : action.key;
}

function nameOf(table: AnyTable): string {
  return typeof table === "string" ? table : table.name;
}

function indexOf(table: AnyTable, index: string | undefined) {
  return typeof table === "string" ? TABLES[table].indexes?.find(({ name }) => name === index) : undefined;
}

/** What a condition says that an attribute has to be. */
function valueIn(condition: Condition | undefined, name: string): unknown {
  if (condition?.is === "=" && condition.name === name) return condition.value;
  if (condition?.is !== "AND") return undefined;
  return condition.conditions.map((each) => valueIn(each, name)).find((value) => value !== undefined);
}

function keyText(table: AnyTable, item: Item): string {
  const { partitionKey, sortKey } = keyedAs(table);
  return JSON.stringify([item[partitionKey.name], sortKey && item[sortKey.name]]);
}

function sortText(table: AnyTable, index: string | undefined, item: Item): string {
  const { partitionKey, sortKey } = indexOf(table, index) ?? keyedAs(table);
  const value = (sortKey && item[sortKey.name]) ?? "";
  const text = typeof value === "number" ? String(value).padStart(16, "0") : String(value);
  return `${String(item[partitionKey.name])}/${text}/${keyText(table, item)}`;
}
