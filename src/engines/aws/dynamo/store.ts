import type { Change, Condition, Item, Parts } from "./expression.ts";
import type { AnyTable, TableName } from "./tables.ts";

/** A conditional write: done, or refused by the item that is there (none, if the condition wants one). */
export type Written =
  | { readonly kind: "done"; readonly item?: Item }
  | { readonly kind: "refused"; readonly item?: Item };

export type Transacted =
  | { readonly kind: "done" }
  /** By action: the item that was there when its condition failed. */
  | { readonly kind: "refused"; readonly by: ReadonlyMap<number, Item | undefined> };

export interface Reading extends Pick<Parts, "key" | "filter" | "attributes"> {
  readonly index?: string;
  readonly newestFirst?: boolean;
  /** Rows at most, over all pages. */
  readonly limit?: number;
  readonly from?: Item | undefined;
}

export interface PageOfItems {
  readonly items: Item[];
  readonly next?: Item;
}

export interface Put {
  readonly kind: "put";
  readonly table: TableName;
  readonly item: Item;
  readonly condition?: Condition;
}

/** One action of a transaction. */
export type Action =
  | Put
  | {
      readonly kind: "update";
      readonly table: TableName;
      readonly key: Item;
      readonly change: Change;
      readonly condition?: Condition;
    }
  | {
      readonly kind: "delete";
      /** Also another system's: what is moved goes from there in the same transaction. */
      readonly table: AnyTable;
      readonly key: Item;
      readonly condition?: Condition;
    };

export type ReturnedItem = "ALL_NEW" | "ALL_OLD" | "NONE";

/** What the steps need of a table store: conditional writes, all-or-nothing writes, consistent reads. */
export interface Store {
  /** A consistent read. */
  get(table: TableName, key: Item): Promise<Item | undefined>;
  put(table: TableName, item: Item, condition?: Condition): Promise<Written>;
  update(
    table: TableName,
    key: Item,
    change: Change,
    condition?: Condition,
    returns?: ReturnedItem,
  ): Promise<Written>;
  /** Returns the item that was there. */
  delete(table: AnyTable, key: Item, condition?: Condition): Promise<Written>;
  /** Every page, up to `limit`. Consistent, except through an index, which may lag. */
  query(table: TableName, reading: Reading): Promise<Item[]>;
  queryPage(table: TableName, reading: Reading): Promise<PageOfItems>;
  scanPage(table: AnyTable, reading: Omit<Reading, "key">): Promise<PageOfItems>;
  /** How many there are, over all pages. */
  count(table: TableName, reading?: Reading): Promise<number>;
  /** Consistent reads of many items, in no order. */
  getMany(table: TableName, keys: readonly Item[]): Promise<Item[]>;
  /** Unconditional writes, each on its own: only for writes that may be repeated or half done. */
  writeMany(
    table: TableName,
    writes: { readonly put?: readonly Item[]; readonly delete?: readonly Item[] },
  ): Promise<void>;
  /** All or nothing. `token` makes a repeated request the same request. */
  transact(actions: readonly Action[], token: string): Promise<Transacted>;
}
