import { erasedOn, type IsErasedOn } from "../../../core/erased-refusals.ts";
import { isOver, isRecordedOnce } from "../../../core/refusals.ts";
import type { ConversationKey } from "../../../model/conversation.ts";
import type { RefusalCode } from "../../../model/refusal.ts";
import type { StageOutcome } from "../../../ports/engine.ts";
import type { AwsContext } from "../context.ts";
import { absent, all, any, different, equal, type Item } from "../dynamo/expression.ts";
import { pages } from "../dynamo/pages.ts";
import { conversationKeyOf, keptUntil } from "../items/keys.ts";
import { type Receipt, refusalItem, refusalLists, shortName } from "../items/refusal-item.ts";
import { isAlive, rememberRefused } from "../items/seen.ts";

/** Every refusal is recorded with its reason: "why did this customer get no answer?" has an answer. */
export async function refuse(
  context: AwsContext,
  refused: Receipt,
  code: RefusalCode,
  conversationId: string | undefined,
  busyWith?: string,
): Promise<Extract<StageOutcome, { kind: "refused" }>> {
  if (!refused.isUnrecorded) {
    const item = refusalItem(context, refused, code, conversationId);
    if (isRecordedOnce(refused, code)) await recordOnce(context, refused.id, item);
    else await context.store.put("messages", item);
  }
  const about = conversationId === undefined ? {} : { conversationId };
  const tellBusy =
    code === "CONVERSATION_LOCKED" &&
    conversationId !== undefined &&
    busyWith !== undefined &&
    (await isFirstRefusal(context, conversationId, busyWith));
  // Last: a webhook that dies before was not acknowledged, and what it brought may come again.
  if (isOver(refused, code)) await rememberRefused(context, refused.id);
  return { kind: "refused", code, ...about, tellBusy };
}

/** The record first: a process that dies in between leaves one record too many, not one too few. */
async function recordOnce(context: AwsContext, messageId: string, item: Item): Promise<void> {
  const nowMs = context.clock.nowMs();
  const id = context.installation.refusedKey(messageId);
  const known = await context.store.get("seen", { id });
  if (known && isAlive(known, nowMs)) return;
  await context.store.put("messages", item);
  // A webhook's role may only update these items.
  await context.store.update("seen", { id }, { set: keptUntil(nowMs + context.settings.dedupeMs) });
}

/** Removes refusals of a person who had no conversation then: found by name among any number of others. */
export async function eraseRefusals(context: AwsContext, keys: readonly ConversationKey[]): Promise<void> {
  const isErasedOn = erasedOn(context.settings, keys) ?? (() => true);
  const names = keys.map(({ sender }) => sender);
  await eraseRefusalsOf(context, names, isErasedOn);
}

/** A partition of each name, page by page: callers cause refusals without end. */
export async function eraseRefusalsOf(
  context: AwsContext,
  names: readonly string[],
  isErasedOn: IsErasedOn,
): Promise<void> {
  const { store, installation } = context;
  const known = new Set(names.map(shortName));
  for (const name of known) {
    const key = equal("conversation_id", installation.refusedPartition(name));
    const attributes = ["conversation_id", "item_id", "channel"];
    for await (const refused of pages((from) => store.queryPage("messages", { key, attributes, from }))) {
      const theirs = refused.filter(({ channel }) => isErasedOn(String(channel)));
      await store.writeMany("messages", {
        delete: theirs.map(({ conversation_id, item_id }) => ({ conversation_id, item_id })),
      });
    }
  }
  await eraseShared(context, known, isErasedOn);
}

/**
 * 0.1.0 kept those of all senders without a conversation together. They expire within 90 days of the upgrade;
 * until then all are read.
 */
async function eraseShared(
  { store }: AwsContext,
  known: ReadonlySet<string>,
  isErasedOn: IsErasedOn,
): Promise<void> {
  for (const list of refusalLists()) {
    const conversation_id = `lull/${list}`;
    const attributes = ["item_id", "sender", "channel"];
    const items = await store.query("messages", {
      key: equal("conversation_id", conversation_id),
      attributes,
    });
    const theirs = items.filter(
      ({ sender, channel }) => known.has(String(sender)) && isErasedOn(String(channel)),
    );
    await store.writeMany("messages", {
      delete: theirs.map(({ item_id }) => ({ conversation_id, item_id })),
    });
  }
}

/**
 * True for the first refusal because of a running turn, or of another system's. Of several at once, one
 * tells: the row says which.
 */
async function isFirstRefusal(context: AwsContext, id: string, running: string): Promise<boolean> {
  const isStillRunning = any(equal("lease_turn_id", running), absent("lease_token"));
  const isUntold = any(absent("busy_told_turn_id"), different("busy_told_turn_id", running));
  const toldAs = context.newId();
  const { kind, item } = await context.store.update(
    "state",
    conversationKeyOf(id),
    { set: { busy_told_turn_id: running, busy_told_as: toldAs } },
    all(isStillRunning, isUntold),
  );
  return kind === "done" || item?.busy_told_as === toldAs;
}
