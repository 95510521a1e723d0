import { decideAttribute, goesOn } from "../../../core/conversation-change.ts";
import { PROCESSING } from "../../../core/elsewhere.ts";
import { conversationWithin, keyOf } from "../../../core/identity.ts";
import { awaiting, withLateAnswer } from "../../../core/late-answer.ts";
import { draftBefore } from "../../../core/new-draft.ts";
import { projectOf } from "../../../core/projects.ts";
import { messagesOf, outboundId, outboundIdsBefore } from "../../../core/staged.ts";
import type { Work } from "../../../core/state.ts";
import type {
  AttributeChange,
  Conversation,
  ConversationChange,
  NewConversation,
} from "../../../model/conversation.ts";
import type { Draft } from "../../../model/draft.ts";
import type { LateAnswer } from "../../../model/late-answer.ts";
import type { OutboundRequest } from "../../../model/outbound.ts";
import type { ProjectChange } from "../../../model/project.ts";
import { isObject } from "../../../schema/is-object.ts";
import { inParallel } from "../../../wire/in-parallel.ts";
import type { AwsContext } from "../context.ts";
import { asRead, isAsRead } from "../dynamo/exact.ts";
import {
  absent,
  all,
  any,
  type Change,
  type Condition,
  different,
  equal,
  type Item,
  present,
  within,
} from "../dynamo/expression.ts";
import { pages } from "../dynamo/pages.ts";
import { setPaused, setProject } from "../items/controls.ts";
import {
  changeOf,
  conversationFrom,
  isOwners,
  rowKey,
  rowSenderOf,
  senderIn,
} from "../items/conversation-item.ts";
import { conversationOf, rowOf } from "../items/conversation-row.ts";
import { assertFits, assertSayable } from "../items/item-size.ts";
import { isRemembered } from "../items/seen.ts";
import { outboundRow, stagedFrom, stageItem } from "../items/stage-item.ts";
import { isAnyStaged, waitsAs } from "../items/staged.ts";
import { readState, saveState } from "../items/state.ts";
import { triggerOf } from "../items/state-item.ts";
import { windowFrom } from "../items/window-item.ts";
import type { Trigger } from "../queue/triggers.ts";
import { createConversation, findForSure, untilUncontested, withAlias } from "./find-conversation.ts";
import { wakeNow } from "./window.ts";

export async function create(
  context: AwsContext,
  given: NewConversation,
): Promise<{ created: boolean; conversation: Conversation }> {
  const { senderAlias: _, ...rest } = given;
  return untilUncontested(async () => {
    const known = await findForSure(context, keyOf(given), given);
    const { found } = known;
    const conversation = found
      ? await withAlias(context, found, known)
      : await createConversation(context, rest, known);
    return conversation === "look-again" ? conversation : { created: !found, conversation };
  });
}

export async function change(
  context: AwsContext,
  id: string,
  given: ConversationChange,
): Promise<Conversation | undefined> {
  const written = await untilUncontested(async () => {
    const row = await rowOf(context, id);
    const sender = senderIn(row);
    if (!row || sender === undefined) return undefined;
    const { set, condition } = changing(context, row, given);
    const { kind, item } = await context.store.update(
      "conversations",
      rowKey(sender, id),
      { set },
      condition,
      "ALL_NEW",
    );
    return kind === "done" && item ? { item, sender } : "look-again";
  });
  if (!written) return undefined;
  const { item, sender } = written;
  if (goesOn(given) && (await isAnyStaged(context, id))) await wake(context, id, sender);
  return conversationFrom(item);
}

/**
 * Only what is in our map is written back: attributes that are the row's own stay its owner's. So one of
 * those cannot be removed, and its value goes on standing. A request whose answer was lost finds its own
 * write, and is done.
 */
export async function changeAttribute(
  context: AwsContext,
  id: string,
  given: AttributeChange,
): Promise<"changed" | "stale" | "not-found"> {
  return untilUncontested(async () => {
    const row = await rowOf(context, id);
    const sender = senderIn(row);
    if (!row || sender === undefined) return "not-found";
    const decision = decideAttribute(conversationFrom(row).attributes, given);
    if (typeof decision === "string") return decision;
    const { name, to } = given;
    if (to === undefined && isOwners(name) && row[name] !== undefined) return "stale";
    const { set, condition } = changing(context, row, {});
    const one = oneAttribute(row, given);
    const { kind } = await context.store.update(
      "conversations",
      rowKey(sender, id),
      { ...one.change, set: { ...set, ...one.change.set } },
      all(condition, one.condition, ...(isOwners(name) ? [isAsRead(row, name)] : [])),
    );
    return kind === "done" ? "changed" : "look-again";
  });
}

/** It alone: the others may hold what we could not write back as it is. Without a map, one is made. */
function oneAttribute(row: Item, { name, to }: AttributeChange): { change: Change; condition: Condition } {
  if (!isMap(row[ATTRIBUTES])) {
    const made = to === undefined ? {} : { [name]: to };
    return { change: { set: { [ATTRIBUTES]: made } }, condition: isAsRead(row, ATTRIBUTES) };
  }
  const own = (asRead(row, ATTRIBUTES) as Item)[name];
  const isSame = own === undefined ? absent(name) : equal(name, own);
  return {
    change: { setWithin: { map: ATTRIBUTES, set: { [name]: to } } },
    condition: all(present(ATTRIBUTES), within(ATTRIBUTES, isSame)),
  };
}

const ATTRIBUTES = "attributes";

function isMap(value: unknown): boolean {
  return isObject(value) && !(value instanceof Set) && !(value instanceof Uint8Array);
}

/**
 * With `honourStatus` the time of a row that says it is processed is left as it is: to a look, a new one
 * would be another system's next processing.
 */
function changing(context: AwsContext, row: Item, change: ConversationChange) {
  const set = changeOf(change, context.clock.nowMs());
  const isThere = present("conversation_id");
  if (!context.settings.honourStatus) return { set, condition: isThere };
  const { updated_at: _, ...untimed } = set;
  const status = "conversation_status";
  return row[status] === PROCESSING
    ? { set: { ...untimed, [status]: PROCESSING }, condition: all(isThere, equal(status, PROCESSING)) }
    : { set, condition: all(isThere, any(absent(status), different(status, PROCESSING))) };
}

async function wake(context: AwsContext, id: string, sender: string): Promise<void> {
  await wakeNow(context, triggerOf({ ...(await readState(context, id)), sender }));
}

export async function say(
  context: AwsContext,
  request: OutboundRequest,
): Promise<"staged" | "duplicate" | "not-found"> {
  const { conversationId, channel } = request;
  assertSayable(request);
  const conversation = await conversationOf(context, conversationId);
  if (!conversation) return "not-found";
  if (await isSaid(context, request)) return "duplicate";
  const nowMs = context.clock.nowMs();
  const sender = rowSenderOf(conversation);
  const at = { conversationId, sender, sequence: context.nextSequence(), nowMs };
  const stagedAs = context.newId();
  const item = { ...stageItem(outboundRow(request, at)), staged_as: stagedAs };
  const outcome = await stageOnce(context, item);
  // Also if it was staged before: the first caller may have died in between.
  await wakeNow(context, { conversationId, sender, channel });
  return outcome;
}

/** Whether it has a fate, or waits as an earlier version staged it. */
async function isSaid(context: AwsContext, request: OutboundRequest): Promise<boolean> {
  const before = outboundIdsBefore(context.settings, request.id);
  const [remembered, waiting] = await Promise.all([
    isRemembered(context, [outboundId(request), ...before]),
    Promise.all(before.map((id) => waitsAs(context, request.conversationId, id))),
  ]);
  return remembered || waiting.includes(true);
}

/** A foreign row in its place is overwritten: it would never be sent. */
async function stageOnce(context: AwsContext, item: Item): Promise<"staged" | "duplicate"> {
  const { kind, item: standing } = await context.store.put("stage", item, absent("message_sid"));
  if (kind === "done" || standing?.staged_as === item.staged_as) return "staged";
  if (!standing || context.quarantine.soundOne("stage", standing, stagedFrom)) return "duplicate";
  await context.store.put("stage", item);
  return "staged";
}

/** Accepts a late answer for a turn that waits for one, or that is about to say that it will. */
export async function answer(context: AwsContext, late: LateAnswer): Promise<"accepted" | "stale"> {
  const id = conversationWithin(late.turnId);
  if (id === undefined) return "stale";
  const { clockSkewMs } = context.settings;
  for (let stored = await readState(context, id); ; ) {
    const nowMs = context.clock.nowMs();
    const found = awaiting(stored.state, late.turnId, { nowMs, clockSkewMs });
    const draft =
      found.kind === "asked"
        ? await draftFor(context, id, found.work)
        : found.kind === "waits" && found.draft;
    if (!draft) return "stale";
    const answered = withLateAnswer(stored.state, draft, late, nowMs);
    assertFits(answered.draft);
    const saved = await saveState(context, stored, answered);
    if (saved.kind === "saved") {
      if (found.kind === "waits" && !found.running) await wakeNow(context, triggerOf(stored));
      return "accepted";
    }
    stored = saved.stored;
  }
}

async function draftFor(context: AwsContext, id: string, work: Work): Promise<Draft | undefined> {
  const last = work.batchIds.at(-1);
  if (last === undefined) return undefined;
  const key = all(equal("conversation_id", id), equal("message_sid", last));
  const items = await context.store.query("stage", { key });
  const [newest] = messagesOf(context.quarantine.sound("stage", items, stagedFrom));
  return newest && draftBefore(work, newest.message, context.clock.nowMs());
}

/** Resuming sends every window's trigger again: those that came while all was paused were put off. */
export async function pauseAll(context: AwsContext, paused: boolean): Promise<void> {
  await setPaused(context, paused);
  if (!paused) await wakeDue(context, () => true);
}

/** Going on sends the triggers of the project's windows again. Where none is known for sure, one too many. */
export async function changeProject(
  context: AwsContext,
  project: string,
  change: ProjectChange | undefined,
): Promise<void> {
  await setProject(context, project, change);
  const { settings } = context;
  const isTheirs = ({ channel }: Trigger) =>
    settings.channels[channel] === undefined || projectOf(settings, channel) === project;
  if (change?.paused === false) await wakeDue(context, isTheirs);
}

async function wakeDue(context: AwsContext, isMeant: (trigger: Trigger) => boolean): Promise<void> {
  for await (const items of pages((from) => context.store.scanPage("triggerLock", { from }))) {
    const windows = context.quarantine.sound("triggerLock", items, windowFrom);
    const due = windows.filter((each) => each.dueAtMs <= context.clock.nowMs() && isMeant(each));
    await inParallel(due, 10, (window) => context.triggers.send(window, 0));
  }
}
