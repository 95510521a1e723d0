import { dueOnArrival } from "../../../core/due.ts";
import { messageId } from "../../../core/identity.ts";
import { settingsFor } from "../../../core/projects.ts";
import type { Conversation } from "../../../model/conversation.ts";
import type { Arrival } from "../../../model/message.ts";
import type { MovedMessage, MoveOutcome } from "../../../ports/seed-tables.ts";
import { ImpossibleWrite } from "../../../wire/aws-failure.ts";
import { type AwsContext, clockOf } from "../context.ts";
import { isAsRead, keyIn } from "../dynamo/exact.ts";
import { absent, all, type Condition, equal, type Item, present } from "../dynamo/expression.ts";
import type { Action } from "../dynamo/store.ts";
import type { AnyTable } from "../dynamo/tables.ts";
import { claiming, claimStanding } from "../items/claim.ts";
import { conversationFrom, listedAs, rowKey, rowSenderOf, senderIn } from "../items/conversation-item.ts";
import { fits } from "../items/item-size.ts";
import { transactionToken } from "../items/keys.ts";
import { rememberedAmong } from "../items/seen.ts";
import { messageRow, type StageMessageRow, stagedFrom, stageItem } from "../items/stage-item.ts";
import { isNewer, isNotOurs, isOurs, tellingNames } from "../items/version.ts";
import { arm } from "./window.ts";
import { unlessImpossible } from "./with-row.ts";

/** A message, and the table of the row that it was read from. */
export interface PlacedMessage extends Omit<MovedMessage, "table"> {
  readonly table: AnyTable;
}

/**
 * Messages that another system acknowledged and staged in this conversation. Each is staged here and its row
 * there removed in one transaction, so that no kill leaves it in both places or in none, however late the
 * next try comes. The window stands before, since nothing may be staged without one, and is armed again
 * after: a worker may have looked in between. No more than may wait in one conversation: of more, its turn
 * would refuse some.
 */
export async function moveIn(
  context: AwsContext,
  row: Item,
  messages: readonly PlacedMessage[],
): Promise<MoveOutcome[]> {
  const [first] = messages;
  if (!first) return [];
  const conversation = conversationFrom(row);
  const { channel } = first.arrival;
  const trigger = { conversationId: conversation.id, sender: rowSenderOf(conversation), channel };
  const dueAtMs = dueOnArrival(first.arrival, conversation, context.settings, clockOf(context));
  await list(context, row);
  await arm(context, trigger, { dueAtMs });
  const ids = messages.map(({ arrival }) => idOf(arrival));
  const [answered, waiting] = await Promise.all([
    rememberedAmong(context, ids),
    ownStaged(context, conversation.id),
  ]);
  let room = settingsFor(context.settings, channel).stagedMessagesMax - waiting;
  const outcomes: MoveOutcome[] = [];
  for (const [at, message] of messages.entries()) {
    const outcome = answered.has(ids[at]!)
      ? await onlyRemove(context, message)
      : room > 0
        ? await moveOne(context, conversation, message).catch(unlessPossible)
        : "full";
    if (outcome === "moved") room -= 1;
    outcomes.push(outcome);
  }
  if (outcomes.includes("moved")) await arm(context, trigger, { dueAtMs });
  return outcomes;
}

/** No item, or no key, can hold what its row says. The others are moved. */
function unlessPossible(error: unknown): MoveOutcome {
  if (error instanceof ImpossibleWrite) return "too-large";
  throw error;
}

/** Found by its customer's number from now on, also if its turn fails. A row without room goes without. */
async function list({ store, clock, log }: AwsContext, row: Item): Promise<void> {
  const [sender, id] = [senderIn(row), String(row.conversation_id)];
  if (row.listing !== undefined || sender === undefined) return;
  const isUnlisted = all(present("conversation_id"), absent("listing"));
  const change = { set: listedAs(id, clock.nowMs()) };
  try {
    await store.update("conversations", rowKey(sender, id), change, isUnlisted);
  } catch (error) {
    unlessImpossible(log, error, id, "listing");
  }
}

/** How many rows of ours wait there. In a table that both share, those of the other system do not count. */
async function ownStaged({ store }: AwsContext, conversationId: string): Promise<number> {
  const key = equal("conversation_id", conversationId);
  const items = await store.query("stage", { key, attributes: tellingNames("stage") });
  return items.filter((item) => isOurs("stage", item)).length;
}

function idOf({ channel, account, providerId }: Arrival): string {
  return messageId(channel, account, providerId);
}

async function moveOne(
  context: AwsContext,
  conversation: Conversation,
  row: PlacedMessage,
): Promise<MoveOutcome> {
  const id = idOf(row.arrival);
  const staged = messageRow(row.arrival, id, {
    conversationId: conversation.id,
    sender: rowSenderOf(conversation),
    sequence: context.nextSequence(),
  });
  if (!fits(stageItem(staged))) return "too-large";
  const { kind, by } = await transact(context, row, staged, [claiming(context, id, conversation.id)]);
  if (kind === "done") return "moved";
  const [claimed, put, removed] = [0, 1, 2].map((at) => by.has(at));
  if (removed) return goneOr(by.get(2));
  if (put) return standsInPlace(context, row, by.get(1));
  if (!claimed) throw new Error("a transaction was refused without a reason");
  return underClaim(context, row, staged, by.get(0));
}

/**
 * A webhook brought the same message and may be staging it now: it goes where that claimed a place. If the
 * webhook died before it staged it, this does; if not, one of the two finds the other's row.
 */
async function underClaim(
  context: AwsContext,
  row: PlacedMessage,
  staged: StageMessageRow,
  item: Item | undefined,
): Promise<MoveOutcome> {
  const claim = claimStanding(item, staged.conversationId);
  if (claim.kind === "answered") return onlyRemove(context, row);
  const conversationId = claim.kind === "elsewhere" ? claim.conversationId : staged.conversationId;
  const { sender, channel } = staged;
  const armed = () => arm(context, { conversationId, sender, channel }, { dueAtMs: context.clock.nowMs() });
  if (claim.kind === "elsewhere") await armed();
  const { kind, by } = await transact(context, row, { ...staged, conversationId }, []);
  if (kind === "refused") return by.has(1) ? goneOr(by.get(1)) : standsInPlace(context, row, by.get(0));
  if (claim.kind === "elsewhere") await armed();
  return "moved";
}

/** Ours, by another delivery of it: then it has its turn, and the row there goes. */
async function standsInPlace(
  context: AwsContext,
  row: PlacedMessage,
  standing: Item | undefined,
): Promise<MoveOutcome> {
  const isOurs = isNewer("stage", standing) || stagedFrom(standing).kind === "sound";
  return isOurs ? onlyRemove(context, row) : "blocked";
}

async function onlyRemove(context: AwsContext, { table, item }: PlacedMessage): Promise<MoveOutcome> {
  const written = await context.store.delete(table, keyIn(table, item), isSame(item));
  return written.kind === "done" ? "duplicate" : goneOr(written.item);
}

/** A refused condition brings what stands there. Without it there is nothing under exactly this key. */
function goneOr(standing: Item | undefined): MoveOutcome {
  return standing ? "changed" : "gone";
}

async function transact(
  context: AwsContext,
  { table, item }: PlacedMessage,
  staged: StageMessageRow,
  first: readonly Action[],
): Promise<{ kind: "done" | "refused"; by: ReadonlyMap<number, Item | undefined> }> {
  const outcome = await context.store.transact(
    [
      ...first,
      { kind: "put", table: "stage", item: stageItem(staged), condition: absent("message_sid") },
      { kind: "delete", table, key: keyIn(table, item), condition: isSame(item) },
    ],
    transactionToken("move", context.newId()),
  );
  return outcome.kind === "done" ? { kind: "done", by: new Map() } : outcome;
}

/** The row is still the one that was read: neither a message of ours nor another of theirs replaced it. */
function isSame(item: Item): Condition {
  const names = ["conversation_id", "v", "body", "received_at"];
  return all(present("conversation_id"), isNotOurs("stage"), ...names.map((name) => isAsRead(item, name)));
}
