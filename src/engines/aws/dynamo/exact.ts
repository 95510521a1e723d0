import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { marshall, NumberValueImpl, unmarshall } from "@aws-sdk/util-dynamodb";
import { ImpossibleWrite } from "../../../wire/aws-failure.ts";
import { absent, type Condition, equal, type Item } from "./expression.ts";
import { type AnyTable, keyNames } from "./tables.ts";

export type Attributes = Record<string, AttributeValue>;

/** Items in which a number was rounded, and what they were read from. */
const AS_READ = new WeakMap<Item, Attributes>();

/**
 * A number of DynamoDB has up to 38 digits. Those that JavaScript cannot hold are rounded here, and validated
 * where they are read: an exception would stop all other rows. A key, a condition or a cursor with a rounded
 * number would fit nothing any more: for those, ask `asRead`, and not the item.
 */
export function plainItem(item: Attributes): Item {
  let isExact = true;
  const wrapNumbers = (text: string) => {
    isExact &&= isHeld(text);
    return Number(text);
  };
  const plain = unmarshall(item, { wrapNumbers });
  if (!isExact) AS_READ.set(plain, item);
  return plain;
}

/** The same with every digit, to be written back: what JavaScript cannot hold stays as DynamoDB wrote it. */
export function exactItem(item: Attributes): Item {
  return unmarshall(item, { wrapNumbers: exactNumber });
}

/** As DynamoDB writes a number. */
function exactNumber(text: string): unknown {
  return isHeld(text) ? Number(text) : NumberValueImpl.from(text);
}

function isHeld(text: string): boolean {
  const number = Number(text);
  return String(number) === text && Math.abs(number) <= Number.MAX_SAFE_INTEGER;
}

/** An attribute of an item that a store returned, with every digit that it has there. */
export function asRead(item: Item, name: string): unknown {
  const value = AS_READ.get(item)?.[name];
  return value ? exactItem({ [name]: value })[name] : item[name];
}

/** All of an item, for a person to read: a set as a list, bytes in base64, numbers with every digit. */
export function textOf(item: Item): string {
  const read = AS_READ.get(item);
  return JSON.stringify(read ? exactItem(read) : item, (_, value: unknown) => {
    if (value instanceof Set) return [...value];
    if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
    return value instanceof NumberValueImpl ? value.toString() : value;
  });
}

/** The attribute is what it was when the item was read, digit by digit. */
export function isAsRead(item: Item, name: string): Condition {
  const value = asRead(item, name);
  return value === undefined ? absent(name) : equal(name, value);
}

/** The key of an item that a store returned. */
export function keyIn(table: AnyTable, item: Item): Item {
  return Object.fromEntries(keyNames(table).map((name) => [name, asRead(item, name)]));
}

/** What cannot be a value of DynamoDB is never written, however often it is tried. */
export function marshalled(item: Item): Attributes {
  try {
    return marshall(item, { removeUndefinedValues: true });
  } catch (error) {
    throw new ImpossibleWrite(error instanceof Error ? error.message : String(error), error);
  }
}
