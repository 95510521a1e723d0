import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type { Clock } from "../../ports/clock.ts";
import { type Change, type Condition, expressions, type Item, type Parts } from "./expression.ts";
import { failure, isCancelled, isConditionFailed } from "./failure.ts";
import { type Retrying, retrying } from "./retry.ts";
import type { TableName, TableNames } from "./tables.ts";
import {
  type Action,
  marshalled,
  type PageOfItems,
  pageOf,
  refusals,
  transactItem,
  valuesOf,
} from "./wire.ts";

/** A write on a condition: done, or refused by what stands there (nothing, where the condition wants something). */
export type Written =
  | { readonly kind: "done"; readonly item?: Item }
  | { readonly kind: "refused"; readonly item?: Item };

export type Transacted =
  | { readonly kind: "done" }
  /** By action: what stood there, where its condition failed. */
  | { readonly kind: "refused"; readonly by: ReadonlyMap<number, Item | undefined> };

export interface Reading extends Pick<Parts, "key" | "filter" | "attributes"> {
  readonly index?: string;
  readonly newestFirst?: boolean;
  /** Rows at most, over all pages. */
  readonly limit?: number;
  readonly from?: Item | undefined;
}

const BATCH_WRITE_MAX = 25;
const BATCH_GET_MAX = 100;

/** DynamoDB in plain values: conditions are answers, the rest is tried again or told as a `LullError`. */
export class Store {
  readonly #client: DynamoDBClient;
  readonly #names: TableNames;
  readonly #retrying: Retrying;
  readonly #clock: Clock;

  constructor(client: DynamoDBClient, names: TableNames, retryHow: Retrying, clock: Clock) {
    this.#client = client;
    this.#names = names;
    this.#retrying = retryHow;
    this.#clock = clock;
  }

  /** A consistent read. */
  async get(table: TableName, key: Item): Promise<Item | undefined> {
    const command = () =>
      new GetItemCommand({ TableName: this.#names[table], Key: marshall(key), ConsistentRead: true });
    const { Item: found } = await this.#send(table, () => this.#client.send(command()));
    return found && unmarshall(found);
  }

  put(table: TableName, item: Item, condition?: Condition): Promise<Written> {
    const { values, ...expression } = expressions({ condition });
    const input = {
      TableName: this.#names[table],
      Item: marshalled(item),
      ...expression,
      ...valuesOf(values),
      ...(condition && { ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const }),
    };
    return this.#write(table, () => this.#client.send(new PutItemCommand(input)));
  }

  update(
    table: TableName,
    key: Item,
    change: Change,
    condition?: Condition,
    returns: "ALL_NEW" | "ALL_OLD" | "NONE" = "NONE",
  ): Promise<Written> {
    const { values, ...expression } = expressions({ change, condition });
    const input = {
      TableName: this.#names[table],
      Key: marshall(key),
      ...expression,
      ...valuesOf(values),
      ReturnValues: returns,
      ...(condition && { ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const }),
    };
    return this.#write(table, () => this.#client.send(new UpdateItemCommand(input)));
  }

  /** Gives what stood there. */
  delete(table: TableName, key: Item, condition?: Condition): Promise<Written> {
    const { values, ...expression } = expressions({ condition });
    const input = {
      TableName: this.#names[table],
      Key: marshall(key),
      ...expression,
      ...valuesOf(values),
      ReturnValues: "ALL_OLD" as const,
      ...(condition && { ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const }),
    };
    return this.#write(table, () => this.#client.send(new DeleteItemCommand(input)));
  }

  /** Every page, up to `limit`. Consistent, except where an index is asked: that may lag. */
  async query(table: TableName, reading: Reading): Promise<Item[]> {
    const items: Item[] = [];
    let from = reading.from;
    do {
      const page = await this.queryPage(table, {
        ...reading,
        from,
        ...(reading.limit !== undefined && { limit: reading.limit - items.length }),
      });
      items.push(...page.items);
      from = page.next;
    } while (from && (reading.limit === undefined || items.length < reading.limit));
    return items;
  }

  async queryPage(table: TableName, reading: Reading): Promise<PageOfItems> {
    const { index, newestFirst } = reading;
    const input = {
      ...this.#reading(table, reading),
      ...(index === undefined ? { ConsistentRead: true } : { IndexName: index }),
      ScanIndexForward: newestFirst !== true,
    };
    return pageOf(await this.#send(table, () => this.#client.send(new QueryCommand(input))));
  }

  async scanPage(table: TableName, reading: Omit<Reading, "key">): Promise<PageOfItems> {
    const input = { ...this.#reading(table, reading), ConsistentRead: true };
    return pageOf(await this.#send(table, () => this.#client.send(new ScanCommand(input))));
  }

  /** How many there are, over all pages. */
  async count(table: TableName, reading: Reading = {}): Promise<number> {
    const { index } = reading;
    const input = { ...this.#reading(table, reading), Select: "COUNT" as const };
    let total = 0;
    let from: Record<string, AttributeValue> | undefined;
    do {
      const page = { ...input, ...(from && { ExclusiveStartKey: from }) };
      const read = async () =>
        reading.key
          ? this.#client.send(
              new QueryCommand({ ...page, ...(index ? { IndexName: index } : { ConsistentRead: true }) }),
            )
          : this.#client.send(new ScanCommand({ ...page, ConsistentRead: true }));
      const { Count = 0, LastEvaluatedKey } = await this.#send(table, read);
      total += Count;
      from = LastEvaluatedKey;
    } while (from);
    return total;
  }

  /** Consistent reads of many items, in no order. */
  async getMany(table: TableName, keys: readonly Item[]): Promise<Item[]> {
    const items: Item[] = [];
    const name = this.#names[table];
    let rest = keys.map((key) => marshall(key));
    while (rest.length > 0) {
      const RequestItems = { [name]: { Keys: rest.slice(0, BATCH_GET_MAX), ConsistentRead: true } };
      const read = () => this.#client.send(new BatchGetItemCommand({ RequestItems }));
      const { Responses, UnprocessedKeys } = await this.#send(table, read);
      items.push(...(Responses?.[name] ?? []).map((item) => unmarshall(item)));
      rest = [...(UnprocessedKeys?.[name]?.Keys ?? []), ...rest.slice(BATCH_GET_MAX)];
    }
    return items;
  }

  /** Unconditional writes, each for itself: only for what may be repeated and may be half done. */
  async writeMany(
    table: TableName,
    writes: { readonly put?: readonly Item[]; readonly delete?: readonly Item[] },
  ): Promise<void> {
    const name = this.#names[table];
    let rest = [
      ...(writes.put ?? []).map((item) => ({ PutRequest: { Item: marshalled(item) } })),
      ...(writes.delete ?? []).map((key) => ({ DeleteRequest: { Key: marshall(key) } })),
    ];
    while (rest.length > 0) {
      const RequestItems = { [name]: rest.slice(0, BATCH_WRITE_MAX) };
      const write = () => this.#client.send(new BatchWriteItemCommand({ RequestItems }));
      const { UnprocessedItems } = await this.#send(table, write);
      rest = [...((UnprocessedItems?.[name] as typeof rest) ?? []), ...rest.slice(BATCH_WRITE_MAX)];
    }
  }

  /** All or nothing. `token` makes a repeated request the same request. */
  async transact(actions: readonly Action[], token: string): Promise<Transacted> {
    const TransactItems = actions.map((action) => transactItem(this.#names, action));
    const write = () =>
      this.#client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken: token }));
    try {
      await retrying(write, this.#retrying, this.#clock);
      return { kind: "done" };
    } catch (error) {
      const by = isCancelled(error) ? refusals(error) : new Map<number, Item | undefined>();
      if (by.size === 0) throw failure(error, "a transaction");
      return { kind: "refused", by };
    }
  }

  #reading(table: TableName, { key, filter, attributes, limit, from }: Reading) {
    const { values, ...expression } = expressions({ key, filter, attributes });
    return {
      TableName: this.#names[table],
      ...expression,
      ...valuesOf(values),
      ...(limit !== undefined && { Limit: limit }),
      ...(from && { ExclusiveStartKey: marshall(from) }),
    };
  }

  async #write(
    table: TableName,
    write: () => Promise<{ readonly Attributes?: Record<string, AttributeValue> | undefined }>,
  ): Promise<Written> {
    try {
      const { Attributes } = await retrying(write, this.#retrying, this.#clock);
      return { kind: "done", ...(Attributes && { item: unmarshall(Attributes) }) };
    } catch (error) {
      if (!isConditionFailed(error)) throw failure(error, this.#named(table));
      const { Item: found } = error as { Item?: Record<string, AttributeValue> };
      return { kind: "refused", ...(found && { item: unmarshall(found) }) };
    }
  }

  async #send<T>(table: TableName, request: () => Promise<T>): Promise<T> {
    try {
      return await retrying(request, this.#retrying, this.#clock);
    } catch (error) {
      throw failure(error, this.#named(table));
    }
  }

  #named(table: TableName): string {
    return `table ${this.#names[table]}`;
  }
}
