import { dueOfMessages } from "../../../core/due.ts";
import { conversationKey } from "../../../core/identity.ts";
import { namesOf, numberRecord } from "../../../core/names.ts";
import {
  chooseByName,
  lacksRecord,
  namesWaiting,
  nameWaitingUnder,
  otherNamesOf,
} from "../../../core/person.ts";
import { settingsFor } from "../../../core/projects.ts";
import { messagesOf } from "../../../core/staged.ts";
import { windowInForce } from "../../../core/window.ts";
import type { Conversation } from "../../../model/conversation.ts";
import type { Arrival } from "../../../model/message.ts";
import { type AwsContext, clockOf } from "../context.ts";
import type { Action } from "../dynamo/store.ts";
import { moveClaim } from "../items/claim.ts";
import { rowSenderOf } from "../items/conversation-item.ts";
import { conversationOf } from "../items/conversation-row.ts";
import { movable } from "../items/item-size.ts";
import { transactionToken } from "../items/keys.ts";
import { recordsFor, recordsOf } from "../items/name-item.ts";
import { type StageMessageRow, stageItem } from "../items/stage-item.ts";
import { stageKey } from "../items/staged.ts";
import { isNotArmed, windowItem } from "../items/window-item.ts";
import type { ConversationView } from "./conversation-view.ts";
import {
  conversationsFrom,
  createFor,
  type Known,
  latestId,
  nextId,
  ownerlessId,
  rowsOf,
  untilUncontested,
} from "./find-conversation.ts";
import { arm } from "./window.ts";

/** Three actions for each row, and one for the window. */
const MOVED_MAX = 33;

/**
 * On-turn messages find their record now. They wait under the id that it has or will have. If that
 * conversation was completed meanwhile, they move to the next one, so that its turns run under its own lease.
 */
export async function findRecord(context: AwsContext, view: ConversationView): Promise<ConversationView> {
  const { stored, rows, record: known } = view;
  const messages = messagesOf(rows);
  if (!lacksRecord(stored.state, known) || messages.length === 0) return view;
  const record = await resolve(
    context,
    stored.id,
    messages.map(({ message }) => message),
  );
  if (record === undefined) return view;
  if (record.id === stored.id) return { ...view, record };
  await move(context, messages, record);
  return { ...view, rows: rows.filter(({ kind }) => kind !== "message") };
}

/**
 * The record under whose id they wait or, if its task is complete, the next one of its person; created if
 * admission is open. The id tells whose messages they are: the names were learnt when they were staged, and
 * the number may be another person's by now.
 */
async function resolve(
  context: AwsContext,
  waitingId: string,
  messages: readonly Arrival[],
): Promise<Conversation | undefined> {
  return untilUncontested(async () => {
    const standing = await conversationOf(context, waitingId);
    if (standing && !standing.taskComplete) return standing;
    const known = await knownFor(context, waitingId, standing, messages);
    if (known === "look-again") return known;
    if (known.found || settingsFor(context.settings, messages.at(-1)?.channel).admission !== "open")
      return known.found;
    const key = { ...conversationKey(context.settings, messages.at(-1)!), sender: known.sender };
    const own = known.isOwnerless && (await ownerlessId(context, key, waitingId, known));
    return createFor(context, key, known, own);
  });
}

async function knownFor(
  context: AwsContext,
  waitingId: string,
  complete: Conversation | undefined,
  messages: readonly Arrival[],
): Promise<Known | "look-again"> {
  const key = conversationKey(context.settings, messages.at(-1)!);
  const own = messages.flatMap(namesOf);
  const records = await recordsOf(context, key, [
    ...new Set([...own, ...(complete ? [complete.sender] : [])]),
  ]);
  const found = complete ? undefined : await nameAt(context, waitingId, messages);
  // Another look has just made the conversation that they wait for.
  const isMadeNow = !complete && found === undefined && (await conversationOf(context, waitingId));
  if (isMadeNow) return "look-again";
  const sender = nameWaitingUnder(messages, { complete, records, found });
  const all = await recordsFor(context, key, { sender });
  const rows = await rowsOf(context, key, [sender, ...otherNamesOf({ sender }, all)], { active: false });
  const active = conversationsFrom(rows).filter(({ taskComplete }) => !taskComplete);
  const named = { ...key, sender };
  const choice = chooseByName(sender, waitingId, active, new Map([...records, ...all]));
  const last = await latestId(context, named);
  return { ...choice, latestId: last, record: numberRecord(sender, all) };
}

/** The name for whose next conversation these messages wait at this place. */
export async function nameAt(
  context: AwsContext,
  waitingId: string,
  messages: readonly Arrival[],
): Promise<string | undefined> {
  const key = conversationKey(context.settings, messages.at(-1)!);
  const records = await recordsOf(context, key, [...new Set(messages.flatMap(namesOf))]);
  for (const sender of namesWaiting(messages, records)) {
    const named = { ...key, sender };
    const last = await latestId(context, named);
    const before = { latestId: last, record: numberRecord(sender, records) };
    if ((await nextId(context, named, before)) === waitingId) return sender;
  }
  return undefined;
}

/** The window is written with the first of them: at every moment a worker will look. */
async function move(
  context: AwsContext,
  messages: readonly StageMessageRow[],
  record: Conversation,
): Promise<void> {
  const trigger = {
    conversationId: record.id,
    sender: rowSenderOf(record),
    channel: messages.at(-1)!.channel,
  };
  const policy = windowInForce(context.settings, record, trigger.channel);
  const dueAtMs = dueOfMessages(messages, {}, policy, clockOf(context));
  for (let left = messages; left.length > 0; ) {
    const moved = movable(left, MOVED_MAX);
    left = left.slice(moved.length);
    const moves = moved.flatMap((row) => moveOne(context, row, record));
    const item = windowItem(context, trigger, { dueAtMs });
    const arming: Action = { kind: "put", table: "triggerLock", item, condition: isNotArmed };
    const token = transactionToken("move", String(item.window_id));
    const armed = await context.store.transact([arming, ...moves], token);
    if (armed.kind === "done") await context.triggers.send(trigger, dueAtMs);
    else {
      // A window stands there already; its worker may be faster than the move, so it is armed again after it.
      await context.store.transact(moves, transactionToken(token, "armed"));
      await arm(context, trigger, { dueAtMs });
    }
  }
}

function moveOne(context: AwsContext, row: StageMessageRow, record: Conversation): Action[] {
  const there = { ...row, conversationId: record.id, sender: rowSenderOf(record) };
  return [
    { kind: "delete", table: "stage", key: stageKey(row.conversationId, row.id) },
    { kind: "put", table: "stage", item: stageItem(there) },
    moveClaim(context, row.id, record.id),
  ];
}
