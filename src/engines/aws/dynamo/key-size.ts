import type { Condition, Item } from "./expression.ts";
import { type AnyTable, keyedAs } from "./tables.ts";

/** The first half of a key, and the second. */
const PARTITION_KEY_BYTES_MAX = 2_048;
const SORT_KEY_BYTES_MAX = 1_024;

export function isPartitionKey(text: string): boolean {
  return Buffer.byteLength(text) <= PARTITION_KEY_BYTES_MAX;
}

export function isSortKey(text: string): boolean {
  return Buffer.byteLength(text) <= SORT_KEY_BYTES_MAX;
}

/**
 * Whether anything can stand under this key. What another system wrote in one table may name a row of another
 * one by a text that is no key: DynamoDB refuses to look there, and all that was asked with it would fail.
 */
export function canStand(table: AnyTable, key: Item): boolean {
  const { partitionKey, sortKey } = keyedAs(table);
  const isFit = (value: unknown, fits: (text: string) => boolean) =>
    typeof value !== "string" || (value !== "" && fits(value));
  return isFit(key[partitionKey.name], isPartitionKey) && (!sortKey || isFit(key[sortKey.name], isSortKey));
}

/** The same of what a query asks for. */
export function canBeFound(key: Condition | undefined): boolean {
  if (key?.is === "AND") return key.conditions.every(canBeFound);
  if (key?.is !== "=" || typeof key.value !== "string") return true;
  return key.value !== "" && isPartitionKey(key.value);
}
