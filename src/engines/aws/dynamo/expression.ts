/** An item as plain values. */
export type Item = Record<string, unknown>;

/** What has to hold for a write, or for what is read. Plain data: any kind of store can carry it out. */
export type Condition =
  | { readonly is: "absent" | "present"; readonly name: string }
  | { readonly is: "=" | "<>" | "<=" | "<" | ">" | "begins"; readonly name: string; readonly value: unknown }
  | { readonly is: "AND" | "OR"; readonly conditions: readonly Condition[] }
  | { readonly is: "NOT"; readonly condition: Condition }
  /** Of what is in a map. Where there is no such map, everything in it is absent. */
  | { readonly is: "within"; readonly map: string; readonly condition: Condition };

export const absent = (name: string): Condition => ({ is: "absent", name });
export const present = (name: string): Condition => ({ is: "present", name });
export const equal = (name: string, value: unknown): Condition => ({ is: "=", name, value });
export const different = (name: string, value: unknown): Condition => ({ is: "<>", name, value });
export const atMost = (name: string, value: unknown): Condition => ({ is: "<=", name, value });
export const above = (name: string, value: unknown): Condition => ({ is: ">", name, value });
export const below = (name: string, value: unknown): Condition => ({ is: "<", name, value });
export const beginsWith = (name: string, value: string): Condition => ({ is: "begins", name, value });
export const all = (...conditions: readonly Condition[]): Condition => ({ is: "AND", conditions });
export const any = (...conditions: readonly Condition[]): Condition => ({ is: "OR", conditions });
/** Also holds if the attribute is absent or of another type: then the inner condition is false. */
export const not = (condition: Condition): Condition => ({ is: "NOT", condition });

export const within = (map: string, condition: Condition): Condition => ({ is: "within", map, condition });

/** Collects an expression's names and values. Every name goes through here: many are reserved words. */
interface Bind {
  name(name: string): string;
  value(value: unknown): string;
}

function textOf(condition: Condition, bind: Bind): string {
  switch (condition.is) {
    case "absent":
      return `attribute_not_exists(${bind.name(condition.name)})`;
    case "present":
      return `attribute_exists(${bind.name(condition.name)})`;
    case "begins":
      return `begins_with(${bind.name(condition.name)}, ${bind.value(condition.value)})`;
    case "AND":
    case "OR":
      return condition.conditions.map((each) => grouped(each, bind)).join(` ${condition.is} `);
    case "NOT":
      return `NOT (${textOf(condition.condition, bind)})`;
    case "within":
      return textOf(condition.condition, inside(condition.map, bind));
    default:
      return `${bind.name(condition.name)} ${condition.is} ${bind.value(condition.value)}`;
  }
}

function inside(map: string, bind: Bind): Bind {
  return { ...bind, name: (name) => `${bind.name(map)}.${bind.name(name)}` };
}

function grouped(condition: Condition, bind: Bind): string {
  const text = textOf(condition, bind);
  return condition.is === "AND" || condition.is === "OR" ? `(${text})` : text;
}

/** A change to single attributes: the others stay as they are. */
export interface Change {
  /** `undefined` removes the attribute. */
  readonly set?: Item;
  /** The same inside a map, which has to be there: what else it holds stays as it is. */
  readonly setWithin?: { readonly map: string; readonly set: Item };
  readonly setIfAbsent?: Item;
  readonly add?: Readonly<Record<string, number>>;
  /** Like `add`, for a sum that may still stand under another name: then it starts from there. */
  readonly sum?: Readonly<Record<string, Summand>>;
}

export interface Summand {
  readonly plus: number;
  readonly from: string;
}

/** What a request may be made of. */
export interface Parts {
  readonly change?: Change | undefined;
  readonly condition?: Condition | undefined;
  readonly key?: Condition | undefined;
  readonly filter?: Condition | undefined;
  readonly attributes?: readonly string[] | undefined;
}

interface Expressions {
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly values: Item;
}

/** The request's expressions, with the names and values of all of them. */
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
    ...(condition && { ConditionExpression: textOf(condition, bind) }),
    ...(key && { KeyConditionExpression: textOf(key, bind) }),
    ...(filter && { FilterExpression: textOf(filter, bind) }),
    ...(attributes && { ProjectionExpression: attributes.map((name) => bind.name(name)).join(", ") }),
  };
  const named = Object.fromEntries([...names].map(([name, placeholder]) => [placeholder, name]));
  return { ...made, ...(names.size > 0 && { ExpressionAttributeNames: named }), values };
}

function updateText(change: Change, bind: Bind): string {
  const { set = {}, setWithin, setIfAbsent = {}, add = {}, sum = {} } = change;
  const places = [
    ...Object.entries(set).map(([name, value]) => ({ bind, name, value })),
    ...Object.entries(setWithin?.set ?? {}).map(([name, value]) => ({
      bind: inside(setWithin!.map, bind),
      name,
      value,
    })),
  ];
  const sets = [
    ...places
      .filter(({ value }) => value !== undefined)
      .map((place) => `${place.bind.name(place.name)} = ${bind.value(place.value)}`),
    ...Object.entries(setIfAbsent).map(([name, value]) => {
      const bound = bind.name(name);
      return `${bound} = if_not_exists(${bound}, ${bind.value(value)})`;
    }),
    ...Object.entries(sum).map(([name, { plus, from }]) => {
      const bound = bind.name(name);
      const start = `if_not_exists(${bind.name(from)}, ${bind.value(0)})`;
      return `${bound} = if_not_exists(${bound}, ${start}) + ${bind.value(plus)}`;
    }),
  ];
  const removes = places
    .filter(({ value }) => value === undefined)
    .map((place) => place.bind.name(place.name));
  const adds = Object.entries(add).map(([name, value]) => `${bind.name(name)} ${bind.value(value)}`);
  return [clause("SET", sets), clause("REMOVE", removes), clause("ADD", adds)].filter(Boolean).join(" ");
}

function clause(word: string, parts: readonly string[]): string {
  return parts.length === 0 ? "" : `${word} ${parts.join(", ")}`;
}
