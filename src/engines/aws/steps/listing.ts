import type { Listing, Page } from "../../../ports/inspector.ts";
import type { AwsContext } from "../context.ts";
import { above, all, below, equal, type Item } from "../dynamo/expression.ts";
import { LISTED, type TableName } from "../dynamo/tables.ts";
import { SENDER } from "../items/conversation-item.ts";

/** A list, newest first, a page at a time. It may be spread over several partitions, which are merged. */
export async function newestFirst(
  context: AwsContext,
  table: Extract<TableName, "conversations" | "messages">,
  listings: readonly string[],
  { limit, cursor }: Page,
): Promise<Listing<Item>> {
  const read = (listing: string) => {
    const ofList = equal("listing", listing);
    const key = cursor === undefined ? ofList : all(ofList, below("listed_at", cursor));
    return context.store.query(table, { index: LISTED, key, newestFirst: true, limit });
  };
  const found = (await Promise.all(listings.map(read))).flat();
  const page = found.sort((a, b) => (listedAt(a) < listedAt(b) ? 1 : -1)).slice(0, limit);
  const items = await inFull(context, table, page);
  const last = page.at(-1);
  return { items, ...(page.length === limit && last && { next: listedAt(last) }) };
}

export async function countListed(
  context: AwsContext,
  table: Extract<TableName, "conversations" | "messages">,
  listings: readonly string[],
  since?: string,
): Promise<number> {
  const counts = listings.map((listing) => {
    const ofList = equal("listing", listing);
    const key = since === undefined ? ofList : all(ofList, above("listed_at", since));
    return context.store.count(table, { index: LISTED, key });
  });
  return (await Promise.all(counts)).reduce((sum, each) => sum + each, 0);
}

/** The index carries keys only; the items are read from the table, in the order of the page. */
async function inFull(
  context: AwsContext,
  table: Extract<TableName, "conversations" | "messages">,
  page: readonly Item[],
): Promise<Item[]> {
  const sort = table === "conversations" ? SENDER : "item_id";
  const keyOf = (item: Item) => ({ conversation_id: item.conversation_id, [sort]: item[sort] });
  const found = await context.store.getMany(table, page.map(keyOf));
  const byKey = new Map(found.map((item) => [JSON.stringify(keyOf(item)), item]));
  // Removed in the meantime: the index may lag.
  return page.map((item) => byKey.get(JSON.stringify(keyOf(item)))).filter((item) => item !== undefined);
}

function listedAt(item: Item): string {
  return String(item.listed_at);
}
