import { dueOnArrival } from "../../../core/due.ts";
import { messageId } from "../../../core/identity.ts";
import type { Conversation } from "../../../model/conversation.ts";
import type { Arrival } from "../../../model/message.ts";
import { type AwsContext, clockOf } from "../context.ts";
import { absent, all, equal, type Item, present } from "../dynamo/expression.ts";
import type { Action } from "../dynamo/store.ts";
import { type AnyTable, keyIn } from "../dynamo/tables.ts";
import { claiming, claimStanding } from "../items/claim.ts";
import { fits } from "../items/item-size.ts";
import { transactionToken } from "../items/keys.ts";
import { rememberedAmong } from "../items/seen.ts";
import { messageRow, type StageMessageRow, stagedFrom, stageItem } from "../items/stage-item.ts";
import { isNewer } from "../items/version.ts";
import { arm } from "./window.ts";

/** A message, and the row of another system that it was read from. */
export interface MovedRow {
  readonly arrival: Arrival;
  readonly table: AnyTable;
  readonly item: Item;
}

export type Moved = "moved" | "duplicate" | "gone" | "too-large" | "blocked";

/**
 * Messages that another system acknowledged and staged in this conversation. Each is staged here and its row
 * there removed in one transaction, so that no kill leaves it in both places or in none, however late the
 * next try comes. The window stands before, since nothing may be staged without one, and is armed again
 * after: a worker may have looked in between.
 */
export async function moveIn(
  context: AwsContext,
  conversation: Conversation,
  rows: readonly MovedRow[],
): Promise<Moved[]> {
  const [first] = rows;
  if (!first) return [];
  const trigger = {
    conversationId: conversation.id,
    sender: conversation.sender,
    channel: first.arrival.channel,
  };
  const dueAtMs = dueOnArrival(first.arrival, conversation, context.settings, clockOf(context));
  await arm(context, trigger, { dueAtMs });
  const ids = rows.map(({ arrival }) => idOf(arrival));
  const answered = await rememberedAmong(context, ids);
  const outcomes: Moved[] = [];
  for (const [at, row] of rows.entries())
    outcomes.push(
      answered.has(ids[at]!) ? await onlyRemove(context, row) : await moveOne(context, conversation, row),
    );
  if (outcomes.includes("moved")) await arm(context, trigger, { dueAtMs });
  return outcomes;
}

function idOf({ channel, account, providerId }: Arrival): string {
  return messageId(channel, account, providerId);
}

async function moveOne(context: AwsContext, conversation: Conversation, row: MovedRow): Promise<Moved> {
  const id = idOf(row.arrival);
  const staged = messageRow(row.arrival, id, {
    conversationId: conversation.id,
    sender: conversation.sender,
    sequence: context.nextSequence(),
  });
  if (!fits(stageItem(staged))) return "too-large";
  const { kind, by } = await transact(context, row, staged, [claiming(context, id, conversation.id)]);
  if (kind === "done") return "moved";
  const [claimed, put, removed] = [0, 1, 2].map((at) => by.has(at));
  if (removed) return "gone";
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
  row: MovedRow,
  staged: StageMessageRow,
  item: Item | undefined,
): Promise<Moved> {
  const claim = claimStanding(item, staged.conversationId);
  if (claim.kind === "answered") return onlyRemove(context, row);
  const conversationId = claim.kind === "elsewhere" ? claim.conversationId : staged.conversationId;
  const { sender, channel } = staged;
  const armed = () => arm(context, { conversationId, sender, channel }, { dueAtMs: context.clock.nowMs() });
  if (claim.kind === "elsewhere") await armed();
  const { kind, by } = await transact(context, row, { ...staged, conversationId }, []);
  if (kind === "refused") return by.has(1) ? "gone" : standsInPlace(context, row, by.get(0));
  if (claim.kind === "elsewhere") await armed();
  return "moved";
}

/** Ours, by another delivery of it: then it has its turn, and the row there goes. */
async function standsInPlace(context: AwsContext, row: MovedRow, standing: Item | undefined): Promise<Moved> {
  const isOurs = isNewer(standing) || stagedFrom(standing).kind === "sound";
  return isOurs ? onlyRemove(context, row) : "blocked";
}

async function onlyRemove(context: AwsContext, { table, item }: MovedRow): Promise<Moved> {
  const { kind } = await context.store.delete(table, keyIn(table, item), isAsRead(item));
  return kind === "done" ? "duplicate" : "gone";
}

async function transact(
  context: AwsContext,
  { table, item }: MovedRow,
  staged: StageMessageRow,
  first: readonly Action[],
): Promise<{ kind: "done" | "refused"; by: ReadonlyMap<number, Item | undefined> }> {
  const outcome = await context.store.transact(
    [
      ...first,
      { kind: "put", table: "stage", item: stageItem(staged), condition: absent("message_sid") },
      { kind: "delete", table, key: keyIn(table, item), condition: isAsRead(item) },
    ],
    transactionToken("move", context.newId()),
  );
  return outcome.kind === "done" ? { kind: "done", by: new Map() } : outcome;
}

/** The row is still the one that was read: neither a message of ours nor another of theirs replaced it. */
function isAsRead({ conversation_id, body, received_at }: Item) {
  // Not numbers: one with many digits was rounded when it was read.
  const same = Object.entries({ body, received_at }).flatMap(([name, value]) =>
    typeof value === "string" ? [equal(name, value)] : [],
  );
  return all(present("conversation_id"), equal("conversation_id", conversation_id), absent("v"), ...same);
}
