import { latestWithin } from "../../../core/history.ts";
import { inArrivalOrder, messagesOf, OUTBOUND } from "../../../core/staged.ts";
import type { StagedMessage } from "../../../model/message.ts";
import type { DetailLimits } from "../../../ports/inspector.ts";
import type { AwsContext } from "../context.ts";
import { all, beginsWith, equal, type Item } from "../dynamo/expression.ts";
import { pages } from "../dynamo/pages.ts";
import { itemBytes } from "./item-size.ts";
import { type StageRow, stagedFrom } from "./stage-item.ts";
import { bearsMarks, isNewer, newerVersion } from "./version.ts";

/**
 * Everything staged in a conversation, in order of arrival: a consistent read of every page. A turn must not
 * skip rows of a newer version: a batch needs all of them.
 */
export async function stagedRows(
  context: AwsContext,
  conversationId: string,
  { isForTurn = false } = {},
): Promise<StageRow[]> {
  const items = await context.store.query("stage", { key: equal("conversation_id", conversationId) });
  if (isForTurn && items.some((item) => isNewer("stage", item))) throw newerVersion(conversationId);
  return inArrivalOrder(context.quarantine.sound("stage", items, stagedFrom));
}

/** The rows of these ids, wherever they are in the order. */
export async function stagedAs(
  context: AwsContext,
  conversationId: string,
  ids: readonly string[],
): Promise<StageRow[]> {
  const keys = ids.map((id) => stageKey(conversationId, id));
  const items = await context.store.getMany("stage", keys);
  return inArrivalOrder(context.quarantine.sound("stage", items, stagedFrom));
}

/** Outbounds: what is to be said for the assistant. */
export async function stagedOutbounds(context: AwsContext, conversationId: string): Promise<StageRow[]> {
  const key = all(equal("conversation_id", conversationId), beginsWith("message_sid", OUTBOUND));
  const rows = context.quarantine.sound("stage", await context.store.query("stage", { key }), stagedFrom);
  // A message's id begins with the name of its channel, which may be this very word.
  return inArrivalOrder(rows.filter(({ kind }) => kind === "outbound"));
}

/** Whether an outbound waits under this very id. A query: some who ask may not read single rows. */
export async function waitsAs(context: AwsContext, conversationId: string, id: string): Promise<boolean> {
  const key = all(equal("conversation_id", conversationId), equal("message_sid", id));
  const rows = context.quarantine.sound("stage", await context.store.query("stage", { key }), stagedFrom);
  return rows.some(({ kind }) => kind === "outbound");
}

/** Whether more waits than these. It reads no more than it needs to tell. */
export async function waitsBeside(
  context: AwsContext,
  conversationId: string,
  ids: readonly string[],
  isWanted: (row: StageRow) => boolean = () => true,
): Promise<boolean> {
  const known = new Set(ids);
  const key = equal("conversation_id", conversationId);
  const limit = known.size + 1;
  for await (const items of pages((from) => context.store.queryPage("stage", { key, from, limit }))) {
    const rows = context.quarantine.sound("stage", items, stagedFrom);
    if (rows.some((row) => !known.has(row.id) && isWanted(row))) return true;
  }
  return false;
}

/**
 * The latest messages that wait, and how many wait. The table stores them by their ids, which say nothing
 * about time: to find the latest, all are read or, with `waiting`, as many as that allows, and then the
 * latest of those are returned.
 */
export async function stagedLately(
  context: AwsContext,
  conversationId: string,
  { rowsMax, bytesMax, waiting }: DetailLimits,
): Promise<{ readonly messages: StagedMessage[]; readonly count: number }> {
  const items = await itemsWithin(context, conversationId, waiting);
  const rows = inArrivalOrder(context.quarantine.sound("stage", items, stagedFrom));
  const messages = messagesOf(rows).map(({ message }) => message);
  return { messages: latestWithin(messages.slice(-rowsMax), bytesMax), count: rows.length };
}

const ALL = { rowsMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY };

async function itemsWithin(
  context: AwsContext,
  conversationId: string,
  { rowsMax, bytesMax }: NonNullable<DetailLimits["waiting"]> = ALL,
): Promise<Item[]> {
  const key = equal("conversation_id", conversationId);
  const items: Item[] = [];
  let bytes = 0;
  const read = (from: Item | undefined) => {
    const limit = rowsMax === ALL.rowsMax ? {} : { limit: rowsMax - items.length };
    return context.store.queryPage("stage", { key, from, ...limit });
  };
  for await (const page of pages(read)) {
    items.push(...page);
    bytes += page.reduce((sum, item) => sum + itemBytes(item), 0);
    if (items.length >= rowsMax || bytes >= bytesMax) break;
  }
  return items;
}

export async function isAnyStaged(context: AwsContext, conversationId: string): Promise<boolean> {
  const key = equal("conversation_id", conversationId);
  return (await context.store.query("stage", { key, limit: 1, attributes: ["message_sid"] })).length > 0;
}

/** Messages that never had a conversation are staged under its id, or are dead letters of it. */
export async function isUsed({ store }: AwsContext, id: string): Promise<boolean> {
  const key = equal("conversation_id", id);
  const read = (table: "stage" | "messages") => store.query(table, { key, limit: 1 });
  const found = await Promise.all([read("stage"), read("messages")]);
  return found.flat().length > 0;
}

/** Those of ours: another system's may wait beside them. */
export function stagedCount(context: AwsContext, conversationId: string): Promise<number> {
  const key = equal("conversation_id", conversationId);
  return context.store.count("stage", { key, filter: bearsMarks("stage") });
}

export function stageKey(conversationId: string, id: string): Item {
  return { conversation_id: conversationId, message_sid: id };
}
