import { conversationKey, messageId } from "../../../core/identity.ts";
import { isHeld } from "../../../core/lease.ts";
import { decideReceipt } from "../../../core/rules.ts";
import { dueOf } from "../../../core/take.ts";
import { windowInForce } from "../../../core/window.ts";
import type { Conversation, ConversationKey } from "../../../model/conversation.ts";
import type { Arrival } from "../../../model/message.ts";
import type { RefusalCode } from "../../../model/refusal.ts";
import type { StageOutcome, StageRequest } from "../../../ports/engine.ts";
import { type AwsContext, clockOf } from "../context.ts";
import { absent } from "../dynamo/expression.ts";
import { inParallel } from "../dynamo/parallel.ts";
import { claim, claimOver } from "../items/claim.ts";
import { areKeys, fits } from "../items/item-size.ts";
import {
  messageRow,
  type StagedMessageRow,
  type StagedRow,
  stagedFrom,
  stageItem,
} from "../items/stage-item.ts";
import { stageKey } from "../items/staged.ts";
import { readState } from "../items/state.ts";
import { isNewer } from "../items/version.ts";
import { arm } from "../items/window.ts";
import {
  conversationOf,
  createConversation,
  findForSure,
  findKnown,
  type Known,
  keepNames,
  nextId,
  untilSettled,
  withAlias,
} from "./find-conversation.ts";
import { type FullMark, isStillFull, lookUp, refuseMore } from "./full-conversation.ts";
import { refuse } from "./refuse.ts";

/** A payload may hold a thousand messages; more at once would only wait for sockets. */
const WIDTH = 16;

interface Receipt {
  readonly arrival: Arrival;
  readonly id: string;
  readonly sequence: number;
  readonly refusal: StageRequest["refusal"];
  readonly isUnrecorded: StageRequest["isUnrecorded"];
}

/** DEDUPE, find the conversation, rules, STAGE, ARM, TRIGGER for each. The same message twice in a payload is taken in turn. */
export async function stage(site: AwsContext, requests: readonly StageRequest[]): Promise<StageOutcome[]> {
  const receipts = requests.map(({ arrival, refusal, isUnrecorded }): Receipt => {
    const id = messageId(arrival.channel, arrival.account, arrival.providerId);
    return { arrival, id, sequence: site.nextSequence(), refusal, isUnrecorded };
  });
  const byId = Map.groupBy(receipts, ({ id }) => id);
  const outcomes = new Map<Receipt, StageOutcome>();
  await inParallel([...byId.values()], WIDTH, async (same) => {
    for (const receipt of same) outcomes.set(receipt, await stageOne(site, receipt));
  });
  return receipts.map((receipt) => outcomes.get(receipt)!);
}

async function stageOne(site: AwsContext, receipt: Receipt): Promise<StageOutcome> {
  const { arrival, id } = receipt;
  // Not even to be looked up: a key that is too long is an error, and would be one at every redelivery.
  if (!areKeys(arrival.sender, id) || !areKeys(arrival.senderAlias ?? "", ""))
    return refuse(site, receipt, "MESSAGE_TOO_LARGE", undefined);
  const key = conversationKey(site.settings, arrival);
  // Reading both at once changes nothing: a redelivery is told before anything is made of what was found.
  const [{ isDuplicate, stagedIn, mark }, known] = await Promise.all([
    lookUp(site, id, key),
    findKnown(site, key, arrival.senderAlias),
  ]);
  if (isDuplicate) return { kind: "duplicate" };
  // Wherever the person's messages go by now.
  const before = stagedIn === undefined ? undefined : await stagedBefore(site, known, id, stagedIn);
  if (before) return before;
  return untilSettled(async (round) => {
    const looked = round === 0 ? known : await findForSure(site, key, arrival.senderAlias);
    return stageIn(site, receipt, { key, known: looked, mark });
  });
}

interface Found {
  readonly key: ConversationKey;
  readonly known: Known;
  readonly mark: FullMark | undefined;
}

/** Where another was quicker, or has made the conversation theirs, everything is looked up once more. */
async function stageIn(
  site: AwsContext,
  receipt: Receipt,
  { key, known, mark }: Found,
): Promise<StageOutcome | "look-again"> {
  const { arrival, id, refusal } = receipt;
  const { active } = known;
  const refused = async (code: RefusalCode, conversationId?: string) => {
    const waiting = await stagedBefore(site, known, id);
    if (waiting) return waiting;
    // Whose the number is by now does not depend on whether this message is taken.
    if (!(await keepNames(site, { ...key, ...(active && { id: active.id }) }, known))) return "look-again";
    return refuse(site, receipt, code, conversationId);
  };
  if (refusal !== undefined) return refused(refusal);
  if (site.settings.validation === "on-turn") {
    if (!(await keepNames(site, { ...key, ...(active && { id: active.id }) }, known))) return "look-again";
    const { sender } = known;
    const place = {
      id: active?.id ?? nextId(site, { ...key, sender }, known),
      sender: active?.sender ?? sender,
    };
    return (await refusedAsFull(site, receipt, mark, place.id)) ?? put(site, receipt, place, active);
  }
  const isBusyNow = active !== undefined && (await isBusy(site, active.id));
  const decision = decideReceipt(active, isBusyNow, key.channelType, site.settings);
  if (decision.kind === "refuse") return refused(decision.code, active?.id);
  // Its task was completed while it waited: it is answered where it is, and opens nothing new.
  const waiting = active ? undefined : await stagedBefore(site, known, id);
  if (waiting) return waiting;
  const conversation = active ? await withAlias(site, active, known) : await createFor(site, arrival, known);
  if (conversation === "look-again") return conversation;
  const full = active && (await refusedAsFull(site, receipt, mark, active.id));
  return full ?? put(site, receipt, conversation, conversation);
}

/** The conversation of a first message, from the project's template. */
export async function createFor(
  site: AwsContext,
  arrival: Arrival,
  known: Known,
): Promise<Conversation | "look-again"> {
  const { projectStatus, allowedChannels } = site.settings;
  return createConversation(
    site,
    {
      ...conversationKey(site.settings, arrival),
      projectStatus,
      ...(allowedChannels && { allowedChannels }),
    },
    known,
  );
}

/** What is staged already is a duplicate, and has its place. */
async function refusedAsFull(
  site: AwsContext,
  receipt: Receipt,
  mark: FullMark | undefined,
  conversationId: string,
): Promise<StageOutcome | undefined> {
  if (!mark || !(await isStillFull(site, mark, conversationId))) return undefined;
  const isStaged = await site.store.get("stage", stageKey(conversationId, receipt.id));
  return isStaged ? undefined : refuseMore(site, receipt, mark, conversationId);
}

/** A redelivery of what is staged already is a duplicate, whatever the rules say by now. */
async function stagedBefore(
  site: AwsContext,
  { active, latestId }: Known,
  id: string,
  conversationId = active?.id ?? latestId,
): Promise<StageOutcome | undefined> {
  if (conversationId === undefined) return undefined;
  const item = await site.store.get("stage", stageKey(conversationId, id));
  const row = site.quarantine.soundOne("stage", item, stagedFrom);
  return row && armAgain(site, row, active?.id === conversationId ? active : undefined);
}

type ConversationRef = Pick<Conversation, "id" | "sender">;

/** The claim decides where it is staged: here, or where another delivery of it was to go and may not have got to. */
async function put(
  site: AwsContext,
  receipt: Receipt,
  place: ConversationRef,
  conversation: Conversation | undefined,
): Promise<StageOutcome> {
  const row = rowAt(receipt, place);
  if (!fits(stageItem(row))) return refuse(site, receipt, "MESSAGE_TOO_LARGE", conversation?.id);
  const claimed = await claim(site, receipt.id, place.id);
  if (claimed.kind === "answered") return { kind: "duplicate" };
  if (claimed.kind === "here") return stageAt(site, row, conversation);
  const { conversationId } = claimed;
  const other = await conversationOf(site, conversationId);
  // An on-turn message may wait for a conversation that nobody has made yet. Any other's has been erased since.
  if (other || site.settings.validation === "on-turn")
    return stageAt(
      site,
      rowAt(receipt, { id: conversationId, sender: other?.sender ?? place.sender }),
      other,
    );
  await claimOver(site, receipt.id, place.id);
  return stageAt(site, row, conversation);
}

function rowAt({ arrival, id, sequence }: Receipt, place: ConversationRef): StagedMessageRow {
  return messageRow(arrival, id, { conversationId: place.id, sender: place.sender, sequence });
}

/** STAGE, then ARM. What was staged before is a duplicate, but is armed all the same: whoever staged it may have died in between. */
async function stageAt(
  site: AwsContext,
  row: StagedMessageRow,
  conversation: Conversation | undefined,
): Promise<StageOutcome> {
  const stagedAs = site.newId();
  const item = { ...stageItem(row), staged_as: stagedAs };
  const written = await site.store.put("stage", item, absent("message_sid"));
  if (written.kind === "refused" && written.item?.staged_as !== stagedAs) {
    const standing = isNewer(written.item)
      ? row
      : site.quarantine.soundOne("stage", written.item, stagedFrom);
    if (standing) return armAgain(site, standing, conversation);
    // Not ours, and in the place of our message: nobody would answer that. If ours came there meanwhile, this is the same once more.
    await site.store.put("stage", item);
  }
  return {
    kind: "staged",
    conversationId: row.conversationId,
    dueAtMs: await armFor(site, row, conversation),
  };
}

async function armAgain(
  site: AwsContext,
  row: StagedRow,
  conversation: Conversation | undefined,
): Promise<StageOutcome> {
  await armFor(site, row, conversation);
  return { kind: "duplicate" };
}

/** The message's own window: whatever else is staged has a window standing, or a turn that holds it. */
function armFor(site: AwsContext, row: StagedRow, conversation: Conversation | undefined): Promise<number> {
  const { conversationId, sender, channel, arrivedAtMs } = row;
  const due = dueOf(
    [{ arrivedAtMs }],
    {},
    windowInForce(site.settings, conversation, channel),
    clockOf(site),
  );
  return arm(site, { conversationId, sender, channel }, { dueAtMs: due });
}

/** Only where it matters: with the other policies a message is staged, whoever is at work. Somebody who merely looks is not. */
async function isBusy(site: AwsContext, id: string): Promise<boolean> {
  const { whileBusy, clockSkewMs } = site.settings;
  if (whileBusy !== "reject") return false;
  const { state } = await readState(site, id);
  const isRunning = isHeld(state.lease, site.clock.nowMs(), clockSkewMs) && state.lease.turnId !== "";
  return isRunning || state.draft?.awaitingUntilAtMs !== undefined;
}
