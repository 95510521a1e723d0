import type { Conversation } from "../../../model/conversation.ts";
import type { AwsContext } from "../context.ts";
import { equal, type Item } from "../dynamo/expression.ts";
import { BY_ID } from "../dynamo/tables.ts";
import { conversationFrom, rowKey, SENDER, senderIn, spellingsOf } from "./conversation-item.ts";
import { conversationKeyOf } from "./keys.ts";
import { withRoom } from "./quarantined-rows.ts";

/** Our own note of whose a conversation is, and so of where its row is: the index by id may lag. */
export async function rememberSender(context: AwsContext, id: string, sender: string): Promise<void> {
  context.senders.set(id, sender);
  const change = { set: { [SENDER]: sender } };
  await withRoom(context, id, () => context.store.update("state", conversationKeyOf(id), change));
}

/** The first half of a conversation's key, for callers that have only its id. */
export async function senderOf(context: AwsContext, id: string): Promise<string | undefined> {
  const known = context.senders.get(id) ?? (await lookUpSender(context, id));
  if (known !== undefined) context.senders.set(id, known);
  return known;
}

async function lookUpSender(context: AwsContext, id: string): Promise<string | undefined> {
  const noted = senderIn(await context.store.get("state", conversationKeyOf(id)));
  if (noted !== undefined) return noted;
  const key = equal("conversation_id", id);
  const [found] = await context.store.query("conversations", { index: BY_ID, key, limit: 1 });
  return senderIn(found);
}

/**
 * The row itself, read consistently, however its key is spelt. `sender` is what a row elsewhere says: if that
 * leads nowhere, what is known of the conversation is asked.
 */
export async function rowOf(context: AwsContext, id: string, sender?: string): Promise<Item | undefined> {
  const row = await rowUnder(context, sender || undefined, id);
  if (row) return row;
  const known = await senderOf(context, id);
  return known === sender ? undefined : rowUnder(context, known, id);
}

async function rowUnder(
  { store }: AwsContext,
  sender: string | undefined,
  id: string,
): Promise<Item | undefined> {
  for (const spelt of sender === undefined ? [] : spellingsOf(sender)) {
    const row = await store.get("conversations", rowKey(spelt, id));
    if (row) return row;
  }
  return undefined;
}

/** The first half of the key under which the row stands, or would. */
export async function rowSenderAt(context: AwsContext, id: string): Promise<string | undefined> {
  return senderIn(await rowOf(context, id)) ?? senderOf(context, id);
}

export async function conversationOf(
  context: AwsContext,
  id: string,
  sender?: string,
): Promise<Conversation | undefined> {
  const row = await rowOf(context, id, sender);
  return row && conversationFrom(row);
}
