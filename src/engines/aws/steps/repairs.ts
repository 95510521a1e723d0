import { type Addressed, isPassedOn } from "../../../core/addressee.ts";
import { conversationWithin } from "../../../core/identity.ts";
import { lookUpAsync } from "../../../core/lookup.ts";
import { movedSince } from "../../../core/name-lookups.ts";
import { writtenIn } from "../../../core/staged.ts";
import { resendOf } from "../../../core/turn.ts";
import type { Conversation } from "../../../model/conversation.ts";
import type { NotRepeated } from "../../../ports/repairs.ts";
import type { AwsContext } from "../context.ts";
import { all, beginsWith, equal, type Item, present } from "../dynamo/expression.ts";
import type { Action } from "../dynamo/store.ts";
import { reclaim } from "../items/claim.ts";
import { rowSenderOf } from "../items/conversation-item.ts";
import { conversationOf } from "../items/conversation-row.ts";
import { transactionToken } from "../items/keys.ts";
import { letterKey, letterRowKey, letterRowPrefix, letterRowsFrom } from "../items/letter-item.ts";
import { unknownKey } from "../items/message-item.ts";
import { recordsAt } from "../items/name-item.ts";
import { removeOnce } from "../items/remove-once.ts";
import { outboundRow, type StageRow, stageItem } from "../items/stage-item.ts";
import { DEFAULT_QUEUE } from "../queue/triggers.ts";
import { showUnknown } from "./inspect.ts";
import { removeUnknown } from "./record-delivery.ts";
import { wakeNow } from "./window.ts";

interface Letter {
  readonly conversationId: string;
  readonly rows: readonly StageRow[];
  readonly keys: readonly Item[];
}

async function findLetter(context: AwsContext, letterId: string): Promise<Letter | undefined> {
  const conversationId = conversationWithin(letterId);
  if (conversationId === undefined) return undefined;
  if (!(await context.store.get("messages", letterKey(conversationId, letterId)))) return undefined;
  const key = all(equal("conversation_id", conversationId), beginsWith("item_id", letterRowPrefix(letterId)));
  const rows = letterRowsFrom(context, await context.store.query("messages", { key }));
  const keys = rows.map((row) => letterRowKey(conversationId, letterId, row.id));
  return { conversationId, rows, keys };
}

/**
 * Back to staged, once: the letter is removed in the same write. Its window stands first, so that a crash in
 * between leaves no orphan.
 */
export async function retryDead(context: AwsContext, letterId: string): Promise<"retried" | NotRepeated> {
  const letter = await findLetter(context, letterId);
  if (!letter) return "not-found";
  const { conversationId, rows, keys } = letter;
  const { messages, outbounds } = writtenIn(rows);
  const conversation = await conversationOf(context, conversationId);
  const content = { messages, outbound: outbounds[0] };
  if (conversation && (await isFutile(context, conversation, content))) return "passed-on";
  const newest = rows.at(-1);
  const trigger = {
    conversationId,
    sender: newest?.sender ?? "",
    channel: newest?.channel ?? DEFAULT_QUEUE,
  };
  await wakeNow(context, trigger, 1);
  const actions: Action[] = [
    removeLetter(conversationId, letterId),
    ...keys.map((key): Action => ({ kind: "delete", table: "messages", key })),
    ...rows.map((row) => reclaim(context, row.id, conversationId)),
    ...rows.map((row): Action => ({ kind: "put", table: "stage", item: stageItem(row) })),
  ];
  const { kind } = await context.store.transact(
    actions,
    transactionToken("retry", letterId, context.newId()),
  );
  if (kind === "refused") return "not-found";
  // A worker may have looked before the messages were back.
  await wakeNow(context, trigger);
  return "retried";
}

/** The turn could only fail: its customer cannot be reached. */
async function isFutile(
  context: AwsContext,
  conversation: Conversation,
  content: Addressed,
): Promise<boolean> {
  const moved = await lookUpAsync(movedSince(conversation, content), recordsAt(context, conversation));
  return isPassedOn({ moved });
}

export async function discardDead(context: AwsContext, letterId: string): Promise<"discarded" | "not-found"> {
  const letter = await findLetter(context, letterId);
  if (!letter) return "not-found";
  if (!(await removeOnce(context, letterKey(letter.conversationId, letterId)))) return "not-found";
  await context.store.writeMany("messages", { delete: letter.keys });
  return "discarded";
}

function removeLetter(conversationId: string, letterId: string): Action {
  return {
    kind: "delete",
    table: "messages",
    key: letterKey(conversationId, letterId),
    condition: present("item_id"),
  };
}

export async function markUnknown(context: AwsContext, unknownId: string): Promise<"marked" | "not-found"> {
  const isListed = (await showUnknown(context, unknownId)) !== undefined;
  return isListed && (await removeUnknown(context, unknownId)) ? "marked" : "not-found";
}

/** A resend is an outbound like any other. Removed from the list and staged in one write. */
export async function resendUnknown(context: AwsContext, unknownId: string): Promise<"staged" | NotRepeated> {
  const key = unknownKey(unknownId);
  const unknown = await showUnknown(context, unknownId);
  if (!key || !unknown) return "not-found";
  const { conversationId, channel } = unknown;
  const conversation = await conversationOf(context, conversationId);
  // Without a conversation there is no turn to send it: it stays on the list.
  if (!conversation) return "not-found";
  const outbound = resendOf(unknown);
  if (await isFutile(context, conversation, { outbound, messages: [] })) return "passed-on";
  const sender = rowSenderOf(conversation);
  const at = { conversationId, sender, sequence: context.nextSequence(), nowMs: context.clock.nowMs() };
  const trigger = { conversationId, sender, channel };
  await wakeNow(context, trigger, 1);
  const actions: Action[] = [
    { kind: "delete", table: "messages", key, condition: present("item_id") },
    { kind: "put", table: "stage", item: stageItem(outboundRow(outbound, at)) },
  ];
  const { kind } = await context.store.transact(
    actions,
    transactionToken("resend", unknownId, context.newId()),
  );
  if (kind === "refused") return "not-found";
  await wakeNow(context, trigger);
  return "staged";
}
