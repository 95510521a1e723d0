import { dueOnArrival } from "../../../core/due.ts";
import { conversationKey, messageId } from "../../../core/identity.ts";
import { isUnattributed } from "../../../core/person.ts";
import { settingsFor } from "../../../core/projects.ts";
import { busyWith, decideReceipt } from "../../../core/rules.ts";
import type { Conversation, ConversationKey } from "../../../model/conversation.ts";
import type { RefusalCode } from "../../../model/refusal.ts";
import type { OwnSettings } from "../../../model/settings.ts";
import type { StageOutcome, StageRequest } from "../../../ports/engine.ts";
import { inParallel } from "../../../wire/in-parallel.ts";
import { type AwsContext, clockOf } from "../context.ts";
import { absent } from "../dynamo/expression.ts";
import { claim, claimOver } from "../items/claim.ts";
import { projectRule } from "../items/controls.ts";
import { rowSenderOf } from "../items/conversation-item.ts";
import { conversationOf } from "../items/conversation-row.ts";
import { areKeys, fits } from "../items/item-size.ts";
import type { Receipt } from "../items/refusal-item.ts";
import { dedupe } from "../items/seen.ts";
import {
  messageRow,
  type StageMessageRow,
  type StageRow,
  stagedFrom,
  stageItem,
} from "../items/stage-item.ts";
import { stageKey } from "../items/staged.ts";
import { readState } from "../items/state.ts";
import { isNewer } from "../items/version.ts";
import {
  createFor,
  findForSure,
  findKnown,
  type Known,
  learn,
  nextId,
  untilUncontested,
  withAlias,
} from "./find-conversation.ts";
import { noteOf, refuseMore } from "./full-conversation.ts";
import { refuse } from "./refuse.ts";
import { saysElsewhere } from "./status.ts";
import { type Armed, arm } from "./window.ts";

/** A payload may hold a thousand messages; more at once would only wait for sockets. */
const WIDTH = 16;

/**
 * DEDUPE, find the conversation, rules, STAGE, ARM, TRIGGER for each. The same message twice in a payload is
 * handled one after the other.
 */
export async function stage(context: AwsContext, requests: readonly StageRequest[]): Promise<StageOutcome[]> {
  const receipts = requests.map((request): Receipt => {
    const { channel, account, providerId } = request.arrival;
    return { ...request, id: messageId(channel, account, providerId), sequence: context.nextSequence() };
  });
  const byId = Map.groupBy(receipts, ({ id }) => id);
  const outcomes = new Map<Receipt, StageOutcome>();
  await inParallel([...byId.values()], WIDTH, async (same) => {
    for (const receipt of same) outcomes.set(receipt, await stageOne(context, receipt));
  });
  return receipts.map((receipt) => outcomes.get(receipt)!);
}

/** Its key is too long to be remembered. */
function withoutMemory({ isRefusedForGood: _, ...receipt }: Receipt): Receipt {
  return receipt;
}

async function stageOne(context: AwsContext, receipt: Receipt): Promise<StageOutcome> {
  const { arrival, id } = receipt;
  // Not even looked up: a key that is too long is an error, and would be one at every redelivery.
  if (!areKeys(arrival.sender, id) || !areKeys(arrival.senderAlias ?? "", ""))
    return refuse(context, withoutMemory(receipt), "MESSAGE_TOO_LARGE", undefined);
  const key = conversationKey(context.settings, arrival);
  // Reading both at once changes nothing: a redelivery is recognised before the conversation is used.
  const [{ isDuplicate, stagedIn, fullIn }, known] = await Promise.all([
    dedupe(context, id, key),
    findKnown(context, key, arrival),
    // The answer is kept for a second: it is not waited for when it is needed.
    projectRule(context, arrival.channel),
  ]);
  if (isDuplicate) return { kind: "duplicate" };
  // Wherever the person's messages go by now.
  const before = stagedIn === undefined ? undefined : await stagedBefore(context, known, id, stagedIn);
  if (before) return before;
  return untilUncontested(async (round) => {
    const looked = round === 0 ? known : await findForSure(context, key, arrival);
    return stageIn(context, receipt, { key, known: looked, fullIn });
  });
}

interface LookedUpFor {
  readonly key: ConversationKey;
  readonly known: Known;
  readonly fullIn: string | undefined;
}

/** If another process was faster, or the conversation has become another person's, all is looked up again. */
async function stageIn(
  context: AwsContext,
  receipt: Receipt,
  { key, known, fullIn }: LookedUpFor,
): Promise<StageOutcome | "look-again"> {
  const { id, refusal, writers } = receipt;
  if (isUnattributed(writers, known)) return { kind: "unattributed" };
  const { found } = known;
  const refused = async (code: RefusalCode, conversationId?: string, busy?: string) => {
    const waiting = await stagedBefore(context, known, id);
    if (waiting) return waiting;
    // Whose number it is now does not depend on whether this message is accepted.
    const namedId = known.isOfStranger && (await nextId(context, key, known));
    if (!(await learn(context, key, known, namedId))) return "look-again";
    return refuse(context, receipt, code, conversationId, busy);
  };
  if (refusal !== undefined) return refused(refusal);
  if (context.settings.validation === "on-turn") {
    const { sender } = known;
    const place = found ?? { id: await nextId(context, { ...key, sender }, known), sender };
    if (!(await learn(context, key, known, place.id))) return "look-again";
    return (await refusedAsFull(context, receipt, fullIn, place.id)) ?? put(context, receipt, place, found);
  }
  const own = settingsFor(context.settings, receipt.arrival.channel);
  const busy = found && (await busyIn(context, found, own));
  const project = await projectRule(context, receipt.arrival.channel);
  const decision = decideReceipt(found, project, busy !== undefined, key.channelType, own);
  if (decision.kind === "refuse") return refused(decision.code, found?.id, busy);
  // Its task was completed while it waited: it is answered where it is, and opens nothing new.
  const waiting = found ? undefined : await stagedBefore(context, known, id);
  if (waiting) return waiting;
  const conversation = found ? await withAlias(context, found, known) : await createFor(context, key, known);
  if (conversation === "look-again") return conversation;
  const full = found && (await refusedAsFull(context, receipt, fullIn, found.id));
  return full ?? put(context, receipt, conversation, conversation);
}

/** Only its own note counts. What is already staged is a duplicate, and has its conversation. */
async function refusedAsFull(
  context: AwsContext,
  receipt: Receipt,
  fullIn: string | undefined,
  conversationId: string,
): Promise<StageOutcome | undefined> {
  const limits = settingsFor(context.settings, receipt.arrival.channel);
  const note = fullIn === conversationId ? await noteOf(context, conversationId, limits) : undefined;
  if (!note) return undefined;
  const isStaged = await context.store.get("stage", stageKey(conversationId, receipt.id));
  return isStaged ? undefined : refuseMore(context, receipt, note);
}

/** A redelivery of what is already staged is a duplicate, whatever the rules say by now. */
async function stagedBefore(
  context: AwsContext,
  { found, latestId }: Known,
  id: string,
  conversationId = found?.id ?? latestId,
): Promise<StageOutcome | undefined> {
  if (conversationId === undefined) return undefined;
  const item = await context.store.get("stage", stageKey(conversationId, id));
  const row = context.quarantine.soundOne("stage", item, stagedFrom);
  return row && armAgain(context, row, found?.id === conversationId ? found : undefined);
}

type FoundConversation = Pick<Conversation, "id" | "sender">;

/** The claim decides where it is staged: here, or where another delivery of it was to go. */
async function put(
  context: AwsContext,
  receipt: Receipt,
  found: FoundConversation,
  conversation: Conversation | undefined,
): Promise<StageOutcome> {
  const row = rowAt(receipt, found);
  const item = stageItem(row);
  if (!fits(item)) return refuse(context, receipt, "MESSAGE_TOO_LARGE", conversation?.id);
  const claimed = await claim(context, receipt.id, found.id);
  if (claimed.kind === "answered") return { kind: "duplicate" };
  if (claimed.kind === "here") return stageAt(context, row, conversation, item);
  const { conversationId } = claimed;
  const other = await conversationOf(context, conversationId);
  // An on-turn message may wait for a conversation that is not made yet. Any other has been erased since.
  if (other || context.settings.validation === "on-turn")
    return stageAt(context, rowAt(receipt, other ?? { id: conversationId, sender: found.sender }), other);
  await claimOver(context, receipt.id, found.id);
  return stageAt(context, row, conversation, item);
}

function rowAt({ arrival, id, sequence }: Receipt, found: FoundConversation): StageMessageRow {
  return messageRow(arrival, id, { conversationId: found.id, sender: rowSenderOf(found), sequence });
}

/** STAGE, then ARM. A duplicate is armed, too: the webhook that staged it may have died in between. */
async function stageAt(
  context: AwsContext,
  row: StageMessageRow,
  conversation: Conversation | undefined,
  unmarked = stageItem(row),
): Promise<StageOutcome> {
  const stagedAs = context.newId();
  const item = { ...unmarked, staged_as: stagedAs };
  const written = await context.store.put("stage", item, absent("message_sid"));
  if (written.kind === "refused" && written.item?.staged_as !== stagedAs) {
    const standing = isNewer("stage", written.item)
      ? row
      : context.quarantine.soundOne("stage", written.item, stagedFrom);
    if (standing) return armAgain(context, standing, conversation);
    // A foreign row in the place of our message would never be answered. If ours came there meanwhile, this
    // writes the same again.
    await context.store.put("stage", item);
  }
  const { dueAtMs, isMine } = await armFor(context, row, conversation);
  return {
    kind: "staged",
    conversationId: row.conversationId,
    dueAtMs,
    ...(!isMine && { isJoined: true }),
  };
}

async function armAgain(
  context: AwsContext,
  row: StageRow,
  conversation: Conversation | undefined,
): Promise<StageOutcome> {
  await armFor(context, row, conversation);
  return { kind: "duplicate" };
}

function armFor(context: AwsContext, row: StageRow, conversation: Conversation | undefined): Promise<Armed> {
  const dueAtMs = dueOnArrival(row, conversation, context.settings, clockOf(context));
  const { conversationId, sender, channel } = row;
  return arm(context, { conversationId, sender, channel }, { dueAtMs });
}

/** Only `reject` refuses a message while a turn runs. */
async function busyIn(
  context: AwsContext,
  conversation: Conversation,
  { whileBusy }: OwnSettings,
): Promise<string | undefined> {
  const { settings, clock } = context;
  if (whileBusy !== "reject") return undefined;
  const { id } = conversation;
  // It may come from an index, which does not have the status.
  const [stored, record = conversation] = await Promise.all([
    readState(context, id),
    settings.honourStatus ? conversationOf(context, id, rowSenderOf(conversation)) : undefined,
  ]);
  const isElsewhere = saysElsewhere(stored, record);
  return busyWith({ ...record, isElsewhere }, stored.state, clock.nowMs(), settings);
}
