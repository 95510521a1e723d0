import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type { Attributes } from "../../../src/engines/aws/dynamo/exact.ts";
import { marshalled } from "../../../src/engines/aws/dynamo/exact.ts";
import type { Change, Condition } from "../../../src/engines/aws/dynamo/expression.ts";
import { ImpossibleWrite } from "../../../src/wire/aws-failure.ts";
import { canonical, compareNumbers, sumOf } from "./digits.ts";

/**
 * Whether a condition holds of an item, as in DynamoDB: a comparison with an absent attribute is false,
 * except "is different".
 */
export function holds(condition: Condition | undefined, item: Attributes | undefined): boolean {
  if (!condition) return true;
  switch (condition.is) {
    case "AND":
      return condition.conditions.every((each) => holds(each, item));
    case "OR":
      return condition.conditions.some((each) => holds(each, item));
    case "NOT":
      return !holds(condition.condition, item);
    case "within":
      return holds(condition.condition, item?.[condition.map]?.M);
    case "absent":
      return item?.[condition.name] === undefined;
    case "present":
      return item?.[condition.name] !== undefined;
    default:
      return compares(condition.is, item?.[condition.name], written(condition.value));
  }
}

function written(value: unknown): AttributeValue {
  if (typeof value === "string") return { S: value };
  return marshalled({ value }).value!;
}

type Comparison = "=" | "<>" | "<=" | "<" | ">" | "begins";

function compares(is: Comparison, actual: AttributeValue | undefined, expected: AttributeValue): boolean {
  if (is === "=") return actual !== undefined && isSame(actual, expected);
  if (is === "<>") return actual === undefined || !isSame(actual, expected);
  // Of values of two types neither comes first.
  const order = actual && orderOf(actual, expected);
  if (order === undefined) return false;
  switch (is) {
    case "<=":
      return order <= 0;
    case "<":
      return order < 0;
    case ">":
      return order > 0;
    case "begins":
      return actual!.S?.startsWith(expected.S ?? "") === true;
  }
}

/** Which of two texts or numbers comes first; undefined for anything else. */
export function orderOf(a: AttributeValue, b: AttributeValue): number | undefined {
  if (a.S !== undefined && b.S !== undefined) return a.S < b.S ? -1 : a.S > b.S ? 1 : 0;
  if (a.N !== undefined && b.N !== undefined) return compareNumbers(a.N, b.N);
  return undefined;
}

function isSame(a: AttributeValue, b: AttributeValue): boolean {
  if (a.S !== undefined || b.S !== undefined) return a.S === b.S;
  return JSON.stringify(comparable(a)) === JSON.stringify(comparable(b));
}

/** Every value in one way of writing: members of a set and names in a map have no order. */
function comparable(value: AttributeValue): unknown {
  if (value.N !== undefined) return ["N", canonical(value.N)];
  if (value.NS) return ["NS", value.NS.map(canonical).sort()];
  if (value.SS) return ["SS", [...value.SS].sort()];
  if (value.BS) return ["BS", value.BS.map((each) => Buffer.from(each).toString("hex")).sort()];
  if (value.B) return ["B", Buffer.from(value.B).toString("hex")];
  if (value.L) return ["L", value.L.map(comparable)];
  if (!value.M) return value;
  return [
    "M",
    Object.entries(value.M)
      .sort()
      .map(([name, each]) => [name, comparable(each)]),
  ];
}

/** The item after a change. What DynamoDB refuses to do with what stands there is an `ImpossibleWrite`. */
export function changed(
  item: Attributes,
  { set = {}, setWithin, setIfAbsent = {}, add = {}, sum = {} }: Change,
): Attributes {
  const starts = [
    ...Object.entries(add).map(([name, plus]) => ({ name, plus, start: item[name] })),
    ...Object.entries(sum).map(([name, { plus, from }]) => ({ name, plus, start: item[name] ?? item[from] })),
  ];
  const sums = starts.map(({ name, plus, start }) => [name, added(name, start, plus)]);
  const map = setWithin && mapIn(item, setWithin.map);
  return {
    ...marshalled(setIfAbsent),
    ...withSet(item, set),
    ...(map && { [setWithin.map]: { M: withSet(map, setWithin.set) } }),
    ...Object.fromEntries(sums),
  };
}

function withSet(item: Attributes, set: NonNullable<Change["set"]>): Attributes {
  const kept = Object.entries(item).filter(([name]) => !(name in set));
  return { ...Object.fromEntries(kept), ...marshalled(set) };
}

function mapIn(item: Attributes, name: string): Attributes {
  const map = item[name]?.M;
  if (!map) throw new ImpossibleWrite(`${name} is no map`, undefined);
  return map;
}

function added(name: string, start: AttributeValue = { N: "0" }, plus: number): AttributeValue {
  const sum = start.N === undefined ? undefined : sumOf(start.N, String(plus));
  if (sum === undefined) throw new ImpossibleWrite(`${name} takes no sum`, undefined);
  return { N: sum };
}
