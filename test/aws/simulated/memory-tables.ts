import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { type Attributes, plainItem } from "../../../src/engines/aws/dynamo/exact.ts";
import type { Condition, Item } from "../../../src/engines/aws/dynamo/expression.ts";
import {
  type AnyTable,
  type KeyPart,
  keyedAs,
  keyNames,
  TABLES,
} from "../../../src/engines/aws/dynamo/tables.ts";
import { canonical } from "./digits.ts";
import { orderOf } from "./evaluate.ts";

interface Version {
  readonly item: Attributes | undefined;
  /** After how many requests to the tables the indexes show it. */
  readonly indexedAt: number;
}

const VERSIONS_MAX = 8;

/**
 * Our tables, and others beside them, that many workers share. An index shows what was true a moment ago.
 * Items are kept as they are on the wire: a number has all the digits that somebody wrote.
 */
export class MemoryTables {
  readonly #tables = new Map<string, Map<string, Version[]>>();
  /** By table and partition key: a read of one conversation must not look through all of them. */
  readonly #partitions = new Map<string, Map<unknown, Set<string>>>();
  readonly #done = new Map<string, string>();
  /** Counts every request: indexes lag by requests, since the workers' clocks may jump. */
  requests = 0;

  read(table: AnyTable, key: Item): Item | undefined {
    const item = this.stored(table, foreign(key));
    return item && plainItem(item);
  }

  /** Behind the engine's back: also what it could not write itself. */
  write(table: AnyTable, key: Item, item: Item | undefined, lag: number): void {
    this.store(table, foreign(key), item && foreign(item), lag);
  }

  stored(table: AnyTable, key: Attributes): Attributes | undefined {
    return this.#rows(table).get(keyText(table, key))?.at(-1)?.item;
  }

  store(table: AnyTable, key: Attributes, item: Attributes | undefined, lag: number): void {
    const rows = this.#rows(table);
    const text = keyText(table, key);
    const versions = [...(rows.get(text) ?? []), { item, indexedAt: this.requests + lag }];
    rows.set(text, versions.slice(-VERSIONS_MAX));
    const parts = this.#partsOf(table);
    const partition = key[keyedAs(table).partitionKey.name]?.S;
    parts.set(partition, (parts.get(partition) ?? new Set()).add(text));
  }

  all(table: AnyTable, index: string | undefined, sees: "all" | "what has arrived", key?: Condition): Item[] {
    return this.rows(table, index, sees, key).map(plainItem);
  }

  /** Everything in the table, or, of an index, everything that has its keys and has arrived there. */
  rows(
    table: AnyTable,
    index: string | undefined,
    sees: "all" | "what has arrived",
    key?: Condition,
  ): Attributes[] {
    const rows = this.#rows(table);
    if (index === undefined) {
      const partition = valueIn(key, keyedAs(table).partitionKey.name);
      const texts = partition === undefined ? rows.keys() : (this.#partsOf(table).get(partition) ?? []);
      return present([...texts].map((text) => rows.get(text)?.at(-1)?.item));
    }
    const { partitionKey, sortKey } = indexOf(table, index)!;
    const hasArrived = ({ indexedAt }: Version) => sees === "all" || indexedAt <= this.requests;
    const arrived = [...rows.values()].map((versions) => versions.findLast(hasArrived)?.item);
    const wanted = valueIn(key, partitionKey.name);
    const isThere = (item: Attributes) => wanted === undefined || item[partitionKey.name]?.S === wanted;
    return present(arrived).filter(
      (item) => isThere(item) && hasPart(item, partitionKey) && (!sortKey || hasPart(item, sortKey)),
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

/** Other programs have numbers of 38 digits. A plain one of more than JavaScript holds counts as printed. */
function foreign(item: Item): Attributes {
  return marshall(item, { removeUndefinedValues: true, allowImpreciseNumbers: true });
}

function present(items: readonly (Attributes | undefined)[]): Attributes[] {
  return items.filter((item) => item !== undefined);
}

function nameOf(table: AnyTable): string {
  return typeof table === "string" ? table : table.name;
}

function indexOf(table: AnyTable, index: string | undefined) {
  return typeof table === "string" ? TABLES[table].indexes?.find(({ name }) => name === index) : undefined;
}

function hasPart(item: Attributes, { name, type }: KeyPart): boolean {
  return item[name]?.[type] !== undefined;
}

/** What a condition says that an attribute has to be. */
function valueIn(condition: Condition | undefined, name: string): unknown {
  if (condition?.is === "=" && condition.name === name) return condition.value;
  if (condition?.is !== "AND") return undefined;
  return condition.conditions.map((each) => valueIn(each, name)).find((value) => value !== undefined);
}

function keyText(table: AnyTable, item: Attributes): string {
  return JSON.stringify(keyNames(table).map((name) => textOf(item[name])));
}

function textOf({ S, N }: AttributeValue = { NULL: true }): string | undefined {
  return S ?? (N === undefined ? undefined : canonical(N));
}

/** The names whose values say where a row stands in a table or in one of its indexes. */
export function placeNames(table: AnyTable, index: string | undefined): string[] {
  const { partitionKey, sortKey } = indexOf(table, index) ?? keyedAs(table);
  const names = [partitionKey.name, ...(sortKey ? [sortKey.name] : []), ...keyNames(table)];
  return [...new Set(names)];
}

/** Which of two rows, or places, comes first there. */
export function comparePlaces(names: readonly string[], a: Attributes, b: Attributes): number {
  for (const name of names) {
    const order = orderOf(a[name]!, b[name]!) ?? 0;
    if (order !== 0) return order;
  }
  return 0;
}
