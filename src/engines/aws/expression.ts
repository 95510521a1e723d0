/** An item as plain values. */
export type Item = Record<string, unknown>;

/** Collects the names and values that an expression refers to. Every name goes through here: many are reserved words. */
interface Bind {
  name(name: string): string;
  value(value: unknown): string;
}

export type Condition = (bind: Bind) => string;

export const absent =
  (name: string): Condition =>
  (bind) =>
    `attribute_not_exists(${bind.name(name)})`;

export const present =
  (name: string): Condition =>
  (bind) =>
    `attribute_exists(${bind.name(name)})`;

export const beginsWith =
  (name: string, start: string): Condition =>
  (bind) =>
    `begins_with(${bind.name(name)}, ${bind.value(start)})`;

const compared =
  (operator: "=" | "<>" | "<=" | "<") =>
  (name: string, value: unknown): Condition =>
  (bind) =>
    `${bind.name(name)} ${operator} ${bind.value(value)}`;

export const equal = compared("=");
export const different = compared("<>");
export const atMost = compared("<=");
export const below = compared("<");

const joined =
  (word: "AND" | "OR") =>
  (...conditions: readonly Condition[]): Condition =>
  (bind) =>
    conditions.map((condition) => `(${condition(bind)})`).join(` ${word} `);

export const all = joined("AND");
export const any = joined("OR");

/** A change to single attributes: the others stay, whoever wrote them. */
export interface Change {
  /** `undefined` removes the attribute. */
  readonly set?: Item;
  readonly setIfAbsent?: Item;
  readonly add?: Readonly<Record<string, number>>;
}

/** What a request may be made of. */
export interface Parts {
  readonly change?: Change | undefined;
  readonly condition?: Condition | undefined;
  readonly key?: Condition | undefined;
  readonly filter?: Condition | undefined;
  readonly attributes?: readonly string[] | undefined;
}

export interface Expressions {
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly values: Item;
}

/** The request's expressions, with its names and values collected over all of them. */
export function expressions({ change, condition, key, filter, attributes }: Parts): Expressions {
  const names = new Map<string, string>();
  const values: Item = {};
  const bind: Bind = {
    name(name) {
      const known = names.get(name) ?? `#n${names.size}`;
      names.set(name, known);
      return known;
    },
    value(value) {
      const name = `:v${Object.keys(values).length}`;
      values[name] = value;
      return name;
    },
  };
  const made = {
    ...(change && { UpdateExpression: updateText(change, bind) }),
    ...(condition && { ConditionExpression: condition(bind) }),
    ...(key && { KeyConditionExpression: key(bind) }),
    ...(filter && { FilterExpression: filter(bind) }),
    ...(attributes && { ProjectionExpression: attributes.map((name) => bind.name(name)).join(", ") }),
  };
  const named = Object.fromEntries([...names].map(([name, placeholder]) => [placeholder, name]));
  return { ...made, ...(names.size > 0 && { ExpressionAttributeNames: named }), values };
}

function updateText({ set = {}, setIfAbsent = {}, add = {} }: Change, bind: Bind): string {
  const sets = [
    ...Object.entries(set)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${bind.name(name)} = ${bind.value(value)}`),
    ...Object.entries(setIfAbsent).map(([name, value]) => {
      const bound = bind.name(name);
      return `${bound} = if_not_exists(${bound}, ${bind.value(value)})`;
    }),
  ];
  const removes = Object.entries(set)
    .filter(([, value]) => value === undefined)
    .map(([name]) => bind.name(name));
  const adds = Object.entries(add).map(([name, value]) => `${bind.name(name)} ${bind.value(value)}`);
  return [clause("SET", sets), clause("REMOVE", removes), clause("ADD", adds)].filter(Boolean).join(" ");
}

function clause(word: string, parts: readonly string[]): string {
  return parts.length === 0 ? "" : `${word} ${parts.join(", ")}`;
}
