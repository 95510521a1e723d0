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
import { StoreUnavailable } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { failure, isCancelled, isConditionFailed } from "../../../wire/aws-failure.ts";
import { backOff, type Ending, type Retrying, retrying } from "../retry.ts";
import { marshalled, plainItem } from "./exact.ts";
import { type Change, type Condition, expressions, type Item } from "./expression.ts";
import { canBeFound, canStand } from "./key-size.ts";
import type { Action, PageOfItems, Reading, ReturnedItem, Store, Transacted, Written } from "./store.ts";
import { type AnyTable, realName, type TableName, type TableNames } from "./tables.ts";
import { pageOf, refusals, transactItems, valuesOf } from "./wire.ts";

const BATCH_WRITE_MAX = 25;
const BATCH_GET_MAX = 100;

/** DynamoDB in plain values: a failed condition is an answer; other errors are retried, or a `LullError`. */
export class DynamoStore implements Store {
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

  async get(table: TableName, key: Item): Promise<Item | undefined> {
    if (!canStand(table, key)) return undefined;
    const command = () =>
      new GetItemCommand({ TableName: this.#names[table], Key: marshalled(key), ConsistentRead: true });
    const { Item: found } = await this.#send(table, (ending) => this.#client.send(command(), ending));
    return found && plainItem(found);
  }

  async put(table: TableName, item: Item, condition?: Condition): Promise<Written> {
    const input = { ...this.#writing(table, { condition }), Item: marshalled(item) };
    return this.#write(table, (ending) => this.#client.send(new PutItemCommand(input), ending));
  }

  async update(
    table: TableName,
    key: Item,
    change: Change,
    condition?: Condition,
    returns: ReturnedItem = "NONE",
  ): Promise<Written> {
    const writing = this.#writing(table, { change, condition });
    const input = { ...writing, Key: marshalled(key), ReturnValues: returns };
    return this.#write(table, (ending) => this.#client.send(new UpdateItemCommand(input), ending));
  }

  async delete(table: AnyTable, key: Item, condition?: Condition): Promise<Written> {
    const writing = this.#writing(table, { condition });
    const input = { ...writing, Key: marshalled(key), ReturnValues: "ALL_OLD" as const };
    return this.#write(table, (ending) => this.#client.send(new DeleteItemCommand(input), ending));
  }

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
    if (!canBeFound(reading.key)) return { items: [] };
    const { index, newestFirst } = reading;
    const input = {
      ...this.#reading(table, reading),
      ...(index === undefined ? { ConsistentRead: true } : { IndexName: index }),
      ScanIndexForward: newestFirst !== true,
    };
    return pageOf(await this.#send(table, (ending) => this.#client.send(new QueryCommand(input), ending)));
  }

  async scanPage(table: AnyTable, reading: Omit<Reading, "key">): Promise<PageOfItems> {
    const input = { ...this.#reading(table, reading), ConsistentRead: true };
    return pageOf(await this.#send(table, (ending) => this.#client.send(new ScanCommand(input), ending)));
  }

  async count(table: TableName, reading: Reading = {}): Promise<number> {
    if (!canBeFound(reading.key)) return 0;
    const { index } = reading;
    const input = { ...this.#reading(table, reading), Select: "COUNT" as const };
    let total = 0;
    let from: Record<string, AttributeValue> | undefined;
    do {
      const page = { ...input, ...(from && { ExclusiveStartKey: from }) };
      const read = async (ending: Ending) =>
        reading.key
          ? this.#client.send(
              new QueryCommand({ ...page, ...(index ? { IndexName: index } : { ConsistentRead: true }) }),
              ending,
            )
          : this.#client.send(new ScanCommand({ ...page, ConsistentRead: true }), ending);
      const { Count = 0, LastEvaluatedKey } = await this.#send(table, read);
      total += Count;
      from = LastEvaluatedKey;
    } while (from);
    return total;
  }

  async getMany(table: TableName, keys: readonly Item[]): Promise<Item[]> {
    const items: Item[] = [];
    const name = this.#names[table];
    let rest = distinct(keys.filter((key) => canStand(table, key))).map((key) => marshalled(key));
    let throttled = 0;
    while (rest.length > 0) {
      const RequestItems = { [name]: { Keys: rest.slice(0, BATCH_GET_MAX), ConsistentRead: true } };
      const read = (ending: Ending) => this.#client.send(new BatchGetItemCommand({ RequestItems }), ending);
      const { Responses, UnprocessedKeys } = await this.#send(table, read);
      items.push(...(Responses?.[name] ?? []).map(plainItem));
      const left = UnprocessedKeys?.[name]?.Keys ?? [];
      throttled = await this.#notTooFast(table, left.length, throttled);
      rest = [...left, ...rest.slice(BATCH_GET_MAX)];
    }
    return items;
  }

  async writeMany(
    table: TableName,
    writes: { readonly put?: readonly Item[]; readonly delete?: readonly Item[] },
  ): Promise<void> {
    const name = this.#names[table];
    let throttled = 0;
    let rest = [
      ...(writes.put ?? []).map((item) => ({ PutRequest: { Item: marshalled(item) } })),
      ...distinct(writes.delete ?? []).map((key) => ({ DeleteRequest: { Key: marshalled(key) } })),
    ];
    while (rest.length > 0) {
      const RequestItems = { [name]: rest.slice(0, BATCH_WRITE_MAX) };
      const write = (ending: Ending) =>
        this.#client.send(new BatchWriteItemCommand({ RequestItems }), ending);
      const { UnprocessedItems } = await this.#send(table, write);
      const left = (UnprocessedItems?.[name] as typeof rest) ?? [];
      throttled = await this.#notTooFast(table, left.length, throttled);
      rest = [...left, ...rest.slice(BATCH_WRITE_MAX)];
    }
  }

  async transact(actions: readonly Action[], token: string): Promise<Transacted> {
    const TransactItems = transactItems(this.#names, actions);
    const write = (ending: Ending) =>
      this.#client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken: token }), ending);
    try {
      await retrying(write, this.#retrying, this.#clock);
      return { kind: "done" };
    } catch (error) {
      const by = isCancelled(error) ? refusals(error) : new Map<number, Item | undefined>();
      if (by.size === 0) throw failure(error, "a transaction");
      return { kind: "refused", by };
    }
  }

  /** Items that a batch left undone were throttled: they are tried again, more slowly, and not for ever. */
  async #notTooFast(table: TableName, left: number, before: number): Promise<number> {
    if (left === 0) return 0;
    const throttled = before + 1;
    if (throttled >= this.#retrying.attemptsMax)
      throw new StoreUnavailable(`${this.#named(table)}: throttled`);
    await backOff(throttled, this.#retrying, this.#clock);
    return throttled;
  }

  #reading(table: AnyTable, { key, filter, attributes, limit, from }: Reading) {
    const { values, ...expression } = expressions({ key, filter, attributes });
    return {
      TableName: realName(this.#names, table),
      ...expression,
      ...valuesOf(values),
      ...(limit !== undefined && { Limit: limit }),
      ...(from && { ExclusiveStartKey: marshalled(from) }),
    };
  }

  #writing(table: AnyTable, given: Parameters<typeof expressions>[0]) {
    const { values, ...expression } = expressions(given);
    return {
      TableName: realName(this.#names, table),
      ...expression,
      ...valuesOf(values),
      ...(given.condition && { ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const }),
    };
  }

  async #write(
    table: AnyTable,
    write: (ending: Ending) => Promise<{ readonly Attributes?: Record<string, AttributeValue> | undefined }>,
  ): Promise<Written> {
    try {
      const { Attributes } = await retrying(write, this.#retrying, this.#clock);
      return { kind: "done", ...(Attributes && { item: plainItem(Attributes) }) };
    } catch (error) {
      if (!isConditionFailed(error)) throw failure(error, this.#named(table));
      const { Item: found } = error as { Item?: Record<string, AttributeValue> };
      return { kind: "refused", ...(found && { item: plainItem(found) }) };
    }
  }

  async #send<T>(table: AnyTable, request: (ending: Ending) => Promise<T>): Promise<T> {
    try {
      return await retrying(request, this.#retrying, this.#clock);
    } catch (error) {
      throw failure(error, this.#named(table));
    }
  }

  #named(table: AnyTable): string {
    return `table ${realName(this.#names, table)}`;
  }
}

/** DynamoDB refuses a batch that names the same item twice. */
function distinct(keys: readonly Item[]): Item[] {
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}
