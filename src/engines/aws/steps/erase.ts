import { providerIdsOf } from "../../../core/draft.ts";
import { messagesOf } from "../../../core/staged.ts";
import type { Draft } from "../../../model/draft.ts";
import type { TurnRecord } from "../../../model/turn.ts";
import type { AwsContext } from "../context.ts";
import { equal, type Item } from "../dynamo/expression.ts";
import { pages } from "../dynamo/pages.ts";
import { rowKey, SENDER } from "../items/conversation-item.ts";
import { rowOf, rowSenderAt } from "../items/conversation-row.ts";
import { conversationKeyOf, fullKey, fullNoteKey, isOwn } from "../items/keys.ts";
import { LETTER, letterFrom } from "../items/letter-item.ts";
import { eraseName } from "../items/name-item.ts";
import { seenItem, sentKeys } from "../items/seen.ts";
import { stagedFrom } from "../items/stage-item.ts";
import { isUsed, stageKey } from "../items/staged.ts";
import { isHeldBy, readState } from "../items/state.ts";
import { leaseAttributes } from "../items/state-item.ts";
import { uncountTurns } from "../items/turn-count.ts";
import { holdsRecord, recordFrom } from "../items/turn-item.ts";
import { ownLease } from "./lease.ts";
import { type PersonRows, personOf } from "./person.ts";
import { eraseRefusals } from "./refuse.ts";

/**
 * Removes every trace of the person but hashes of message ids: all of their conversations, and their
 * refusals. A newer token comes first, so that a running turn cannot write anything back. The conversation
 * that was named comes last, so that an interrupted erasure can be requested again.
 */
export async function erase(context: AwsContext, id: string): Promise<"erased" | "not-found"> {
  if (isOwn(id)) return "not-found";
  const row = await rowOf(context, id);
  if (row) await takeForGood(context, id);
  const person = await personOf(context, id, row);
  for (const other of person.ids) if (other !== id) await eraseConversation(context, other);
  await eraseNames(context, person);
  return (await eraseConversation(context, id)) ? "erased" : "not-found";
}

/** A person who was found by name. Names last: by them, what an interrupted erasure left is found again. */
export async function erasePeople(context: AwsContext, person: PersonRows): Promise<boolean> {
  let isFound = false;
  for (const id of person.ids) isFound = (await eraseConversation(context, id)) || isFound;
  await eraseNames(context, person);
  return isFound;
}

/** False if nothing of it is stored. */
async function eraseConversation(context: AwsContext, id: string): Promise<boolean> {
  const sender = await rowSenderAt(context, id);
  const isKept =
    sender !== undefined ||
    (await isUsed(context, id)) ||
    (await context.store.get("state", conversationKeyOf(id))) !== undefined;
  if (!isKept) return false;
  const { token, turns } = await takeForGood(context, id);
  await eraseStaged(context, id);
  await eraseKept(context, id);
  await context.store.writeMany("seen", { delete: [fullNoteKey(id)] });
  if (sender !== undefined) {
    // The row leads to its state, and to this person's other rows: while it stands, all of it is found again.
    await forgetSender(context, id, token);
    await context.store.delete("conversations", rowKey(sender, id));
  }
  // What came in meanwhile belongs to the erased conversation, unless a new one was opened for it.
  if (!(await rowOf(context, id, sender))) await eraseStaged(context, id);
  await context.store.delete("state", conversationKeyOf(id), isHeldBy(token));
  await uncountTurns(context, turns, token);
  context.senders.delete(id);
  return true;
}

/** A state that is left behind names no person. */
async function forgetSender({ store }: AwsContext, id: string, token: string): Promise<void> {
  const change = { set: { [SENDER]: undefined } };
  await store.update("state", conversationKeyOf(id), change, isHeldBy(token));
}

/** Their name records, the notes of a full conversation, and refusals from before they had one. */
async function eraseNames(context: AwsContext, { keys, kept }: PersonRows): Promise<void> {
  const { store } = context;
  await eraseRefusals(context, keys);
  await store.writeMany("seen", { delete: keys.map((key) => ({ id: fullKey(key) })) });
  for (const { key, names, erased } of kept) {
    // Each record may name another that came in meanwhile.
    const all = new Set(names);
    for (const name of all) {
      const cameWith = await eraseName(context, key, name, erased);
      if (erased.names.has(name)) for (const other of cameWith) all.add(other);
    }
  }
}

/**
 * Takes the lease from any holder: no worker drafts, sends or commits any more. Statuses of the draft's sends
 * are removed with the draft.
 */
async function takeForGood(context: AwsContext, id: string): Promise<{ token: string; turns: unknown }> {
  const { draft } = (await readState(context, id)).state;
  const lease = ownLease(context);
  const taken = leaseAttributes(id, lease, context.leaseShards);
  const set = { rev: lease.token, draft: undefined, works: undefined, ...taken };
  const key = conversationKeyOf(id);
  const { item } = await context.store.update("state", key, { set }, undefined, "ALL_NEW");
  if (draft) await eraseSent(context, [sendsOf(draft)]);
  return { token: lease.token, turns: item?.turn_count };
}

/**
 * Staged ids are remembered: a redelivery must not bring an erased person back. Foreign rows are removed,
 * too: they are about this person.
 */
async function eraseStaged(context: AwsContext, id: string): Promise<void> {
  const items = await context.store.query("stage", { key: equal("conversation_id", id) });
  const rows = messagesOf(context.quarantine.sound("stage", items, stagedFrom));
  const put = rows.map((row) => seenItem(context, row.id, "committed"));
  await context.store.writeMany("seen", { put });
  const keys = items.map(({ message_sid }) => stageKey(id, String(message_sid)));
  await context.store.writeMany("stage", { delete: keys });
  await context.store.delete("triggerLock", conversationKeyOf(id));
}

/**
 * Messages, turns, refusals, dead letters and unknown sends are one partition. The statuses of our sends are
 * removed with them: of committed turns, and of those that became dead letters.
 */
async function eraseKept(context: AwsContext, id: string): Promise<void> {
  const key = equal("conversation_id", id);
  const read = (from: Item | undefined) =>
    context.store.queryPage("messages", { key, from, limit: ITEMS_AT_ONCE });
  for await (const items of pages(read)) {
    const begins = (prefix: string) => items.filter(({ item_id }) => String(item_id).startsWith(prefix));
    const turns = context.quarantine.sound("messages", items.filter(holdsRecord), recordFrom);
    const letters = context.quarantine.sound("messages", begins(LETTER), letterFrom);
    const drafts = letters.flatMap(({ draft }) => (draft ? [sendsOf(draft)] : []));
    await eraseSent(context, [...turns, ...drafts]);
    const keys = items.map(({ item_id }) => ({ conversation_id: id, item_id }));
    await context.store.writeMany("messages", { delete: keys });
  }
}

/** Items that are in memory at once, of which one may have 400 KB. */
const ITEMS_AT_ONCE = 500;

type Sends = Pick<TurnRecord, "channel" | "providerIds">;

function sendsOf(draft: Draft): Sends {
  return { channel: draft.channel, providerIds: providerIdsOf(draft) };
}

async function eraseSent(context: AwsContext, sends: readonly Sends[]): Promise<void> {
  const keys = sends.flatMap(({ channel, providerIds }) =>
    providerIds.flatMap((providerId) => sentKeys(context, channel, providerId)),
  );
  await context.store.writeMany("seen", { delete: keys });
}
