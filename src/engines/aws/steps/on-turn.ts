import { conversationKey } from "../../../core/identity.ts";
import { isPassing, namesOf } from "../../../core/names.ts";
import { newcomer } from "../../../core/person.ts";
import { windowInForce } from "../../../core/window.ts";
import type { Conversation, ConversationKey } from "../../../model/conversation.ts";
import type { Arrival } from "../../../model/message.ts";
import { type AwsContext, clockOf } from "../context.ts";
import type { Action } from "../dynamo/store.ts";
import { moveClaim } from "../items/claim.ts";
import { movable } from "../items/item-size.ts";
import { transactionToken } from "../items/keys.ts";
import { recordsOf } from "../items/name-item.ts";
import { messagesOf, type StagedMessageRow, stageItem } from "../items/stage-item.ts";
import { dueOfStaged, stageKey } from "../items/staged.ts";
import { arm, isNotArmed, windowItem } from "../items/window.ts";
import { findForSure, type Known, latestId, nextId } from "./find-conversation.ts";
import { createFor } from "./receive.ts";
import type { Sight } from "./sight.ts";

/** Three actions a row, and one for the window. */
const MOVED_MAX = 33;

/**
 * On-turn messages find their record now. They wait under the id that it has or will have; if that conversation was completed in
 * the meantime they move on to the next one, so that its turns run under its own lease.
 */
export async function findRecord(site: AwsContext, sight: Sight): Promise<Sight> {
  const { stored, rows, record: known } = sight;
  const isStarted = stored.state.draft !== undefined || stored.state.works.length > 0;
  const messages = messagesOf(rows);
  if (isStarted || messages.length === 0 || (known && !known.taskComplete)) return sight;
  const record = await resolve(site, { id: stored.id, record: known }, messages.at(-1)!);
  if (record === undefined) return sight;
  if (record.id === stored.id) return { ...sight, record };
  await move(site, messages, record);
  return { ...sight, rows: rows.filter(({ kind }) => kind !== "message") };
}

/**
 * The one under whose id they wait, or the next of its person where its task is complete; made, if anybody may write. What is kept of names was
 * learnt when they were staged: by now the number may be another's.
 */
async function resolve(
  site: AwsContext,
  { id: place, record: complete }: { readonly id: string; readonly record: Conversation | undefined },
  { message }: StagedMessageRow,
): Promise<Conversation | undefined> {
  for (;;) {
    const known = await knownFor(site, place, complete, message);
    if (known.active) return known.active;
    if (site.settings.admission !== "open") return undefined;
    const made = await createFor(site, message, known);
    if (made !== "look-again") return made;
  }
}

async function knownFor(
  site: AwsContext,
  place: string,
  complete: Conversation | undefined,
  message: Arrival,
): Promise<Known> {
  const key = conversationKey(site.settings, message);
  const number = complete ? undefined : await numberOf(site, key, place, message);
  if (number) return number;
  const known = complete
    ? await findForSure(site, { ...key, sender: complete.sender })
    : await findForSure(site, key, message.senderAlias);
  return { ...known, keeps: () => new Map() };
}

/** Where nothing but the number was known: the conversation begins with nothing else. */
async function numberOf(
  site: AwsContext,
  key: ConversationKey,
  place: string,
  message: Arrival,
): Promise<Known | undefined> {
  for (const sender of namesOf(message).filter(isPassing)) {
    const last = await latestId(site, { ...key, sender });
    const known = { ...(last !== undefined && { latestId: last }) };
    if (nextId(site, { ...key, sender }, known) !== place) continue;
    return { ...known, ...newcomer(sender, await recordsOf(site, key, [sender])) };
  }
  return undefined;
}

/** The window comes with the first of them in the same write: there is no moment in which nobody would look. */
async function move(
  site: AwsContext,
  messages: readonly StagedMessageRow[],
  record: Conversation,
): Promise<void> {
  const trigger = {
    conversationId: record.id,
    primaryChannel: record.sender,
    channel: messages.at(-1)!.channel,
  };
  const policy = windowInForce(site.settings, record, trigger.channel);
  const dueAtMs = dueOfStaged(messages, { works: [] }, policy, clockOf(site));
  for (let left = messages; left.length > 0; ) {
    const moved = movable(left, MOVED_MAX);
    left = left.slice(moved.length);
    const moves = moved.flatMap((row) => moveOne(site, row, record));
    const item = windowItem(site, trigger, { dueAtMs });
    const arming: Action = { kind: "put", table: "triggerLock", item, condition: isNotArmed };
    const token = transactionToken("move", String(item.window_id));
    const armed = await site.store.transact([arming, ...moves], token);
    if (armed.kind === "done") await site.triggers.send(trigger, dueAtMs);
    else {
      // A window stands there already; whoever looks at it may be quicker than the move, so it is armed again behind it.
      await site.store.transact(moves, transactionToken(token, "armed"));
      await arm(site, trigger, { dueAtMs });
    }
  }
}

function moveOne(site: AwsContext, row: StagedMessageRow, record: Conversation): Action[] {
  const there = { ...row, conversationId: record.id, primaryChannel: record.sender };
  return [
    { kind: "delete", table: "stage", key: stageKey(row.conversationId, row.id) },
    { kind: "put", table: "stage", item: stageItem(there) },
    moveClaim(site, row.id, record.id),
  ];
}
