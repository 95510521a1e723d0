import { isDeepStrictEqual } from "node:util";
import type { Change, Condition, Item } from "../../../src/engines/aws/dynamo/expression.ts";

/**
 * Whether a condition holds of an item, as in DynamoDB: a comparison with an absent attribute is false,
 * except "is different".
 */
export function holds(condition: Condition | undefined, item: Item | undefined): boolean {
  if (!condition) return true;
  switch (condition.is) {
    case "AND":
      return condition.conditions.every((each) => holds(each, item));
    case "OR":
      return condition.conditions.some((each) => holds(each, item));
    case "NOT":
      return !holds(condition.condition, item);
    case "absent":
      return item?.[condition.name] === undefined;
    case "present":
      return item?.[condition.name] !== undefined;
    default:
      return compares(condition.is, item?.[condition.name], condition.value);
  }
}

function compares(is: "=" | "<>" | "<=" | "<" | ">" | "begins", actual: unknown, expected: unknown): boolean {
  if (actual === undefined) return is === "<>";
  // Values of two types are different, and neither comes first.
  if (typeof actual !== typeof expected || actual === null) return is === "<>";
  switch (is) {
    case "=":
      return isDeepStrictEqual(actual, expected);
    case "<>":
      return !isDeepStrictEqual(actual, expected);
    case "<=":
      return (actual as number) <= (expected as number);
    case "<":
      return (actual as number) < (expected as number);
    case ">":
      return (actual as number) > (expected as number);
    case "begins":
      return String(actual).startsWith(String(expected));
  }
}

/** The item after a change. */
export function changed(item: Item, { set = {}, setIfAbsent = {}, add = {}, sum = {} }: Change): Item {
  const sums = [
    ...Object.entries(add).map(([name, value]) => [name, Number(item[name] ?? 0) + value]),
    ...Object.entries(sum).map(([name, { plus, from }]) => [
      name,
      Number(item[name] ?? item[from] ?? 0) + plus,
    ]),
  ];
  return plain({ ...setIfAbsent, ...item, ...set, ...Object.fromEntries(sums) });
}

/**
 * A copy as a store would return it: nothing undefined, nothing shared. NaN and infinity are refused, as on
 * the wire.
 */
export function plain(item: Item): Item {
  return JSON.parse(JSON.stringify(item, sound)) as Item;
}

function sound(name: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`${name} is no number: ${value}`);
  return value;
}
