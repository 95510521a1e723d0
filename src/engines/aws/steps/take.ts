import { deadLetteredAs, takeResult } from "../../../core/dead-letters.ts";
import { PROJECT_HOLD_MS_MAX } from "../../../core/defaults.ts";
import { PROCESSING } from "../../../core/elsewhere.ts";
import { idWithin } from "../../../core/identity.ts";
import { lookUpAsync } from "../../../core/lookup.ts";
import { movedSince } from "../../../core/name-lookups.ts";
import { channelOf } from "../../../core/new-draft.ts";
import { itemOf } from "../../../core/staged.ts";
import type { ConversationState } from "../../../core/state.ts";
import { decideTake } from "../../../core/take.ts";
import type { TakeDecision } from "../../../core/take-decision.ts";
import { contentOf, laterFrom, takenFrom } from "../../../core/taken.ts";
import type { ConversationStatus } from "../../../model/conversation.ts";
import type { LetterContent } from "../../../model/dead-letter.ts";
import type { TakeOutcome, TakeResult } from "../../../model/take.ts";
import type { TriggerSource } from "../../../ports/engine.ts";
import type { AwsContext } from "../context.ts";
import { projectChange, projectRule } from "../items/controls.ts";
import { rowSenderOf, SENDER } from "../items/conversation-item.ts";
import { recordsAt } from "../items/name-item.ts";
import { quarantineState } from "../items/quarantined-rows.ts";
import { hold, isMine, saveState } from "../items/state.ts";
import { type Stored, triggerOf } from "../items/state-item.ts";
import type { LeftBehind } from "../left-rows.ts";
import { DEFAULT_QUEUE, type Trigger } from "../queue/triggers.ts";
import type { ConversationView } from "./conversation-view.ts";
import { deadLetter } from "./dead-letter.ts";
import { takeLease } from "./lease.ts";
import { leftBehind } from "./left-behind.ts";
import { lookAround } from "./look.ts";
import { findRecord } from "./on-turn.ts";
import { sentBefore } from "./sent-before.ts";
import {
  isOwnWord,
  NO_STATUS_NOTE,
  saveBegun,
  saveReleased,
  saysElsewhere,
  statusBeforeBegun,
} from "./status.ts";
import { undoTake } from "./undo-take.ts";
import { wakeAt, wakeNow, wakeWaiting } from "./window.ts";

/** A trigger is delayed for 15 minutes at most, which is this much of the longest time between two looks. */
const SHARE_OF_HOLD = 900_000 / PROJECT_HOLD_MS_MAX;

/** A wake-up for one conversation: LEASE to BATCH. */
export async function take(context: AwsContext, id: string, source?: TriggerSource): Promise<TakeResult> {
  return takeResult(await takeOne(context, id, source));
}

/** MORE: no worker gets in between; the next turn has its own token. */
export async function takeMore(
  context: AwsContext,
  leased: Stored,
  left: LeftBehind | undefined,
): Promise<TakeResult> {
  return takeResult(await takeUnder(context, leased, leased.state.lease!.token, left));
}

/** One outcome, and one for each dead letter before it. */
export async function takeOne(
  context: AwsContext,
  id: string,
  source?: TriggerSource,
): Promise<TakeOutcome[]> {
  const leased = await takeLease(context, id, source);
  if (leased.kind === "leased") return takeUnder(context, leased.stored, leased.token);
  const { stored, untilAtMs } = leased;
  // Held: another trigger comes when the lease may end. If this one returned, it would soon count as poison.
  await context.triggers.send(triggerOf(stored, source), untilAtMs + context.settings.clockSkewMs);
  const { lease } = stored.state;
  const holding = lease && { holder: lease.holder, sinceAtMs: lease.takenAtMs };
  return [{ kind: "busy", conversationId: id, untilAtMs, ...holding }];
}

/** DRAFT?, DISARM and BATCH under a held lease. If the store fails, the lease is put back. */
async function takeUnder(
  context: AwsContext,
  leased: Stored,
  token: string,
  left?: LeftBehind,
): Promise<TakeOutcome[]> {
  try {
    return await lookUnder(context, leased, token, left);
  } catch (error) {
    await undoTake(context, leased.id, token);
    throw error;
  }
}

async function lookUnder(
  context: AwsContext,
  leased: Stored,
  token: string,
  left: LeftBehind | undefined,
): Promise<TakeOutcome[]> {
  const outcomes: TakeOutcome[] = [];
  let stored = leased.foreign ? await quarantineState(context, leased, token) : leased;
  for (let known = left; isMine(stored, token); known = undefined) {
    const seen = await lookAround(context, stored, known);
    const view = context.settings.validation === "on-turn" ? await findRecord(context, seen) : seen;
    const progress = await actOn(context, view, decide(context, view, token), token);
    if (progress.outcome) outcomes.push(progress.outcome);
    if (progress.kind === "over") return outcomes;
    stored = progress.stored;
  }
  // Another worker took the lease while we looked: the conversation is its own now.
  return [...outcomes, { kind: "nothing" }];
}

/** Under the lease that is already held, at the moment of LEASE: what came in since is for the next look. */
function decide(context: AwsContext, view: ConversationView, token: string): TakeDecision {
  const { stored, rows, rest, record, window } = view;
  const nowMs = stored.state.lease?.takenAtMs ?? context.clock.nowMs();
  return decideTake(
    {
      ...view,
      state: { ...stored.state, window },
      staged: [...rows.map(itemOf), ...rest],
      conversation: record,
      isElsewhere: saysElsewhere(stored, record),
    },
    {
      nowMs,
      // Not before it: a clock that is set back while we look is found by the next look.
      clockMs: Math.max(nowMs, context.clock.nowMs()),
      holder: context.holder,
      token,
      turnIdOf: () => idWithin(stored.id, context.newId()),
      windowId: context.newId(),
      underLease: true,
    },
    context.settings,
  );
}

type Progress =
  | { readonly kind: "over"; readonly outcome: TakeOutcome }
  | { readonly kind: "again"; readonly outcome?: TakeOutcome; readonly stored: Stored };

async function actOn(
  context: AwsContext,
  view: ConversationView,
  decision: TakeDecision,
  token: string,
): Promise<Progress> {
  switch (decision.kind) {
    // "busy" never comes: this look is under its own lease.
    case "busy":
    case "nothing": {
      // Late, doubled, or for a conversation that does not exist: it is counted, and nothing else.
      if (!view.record) context.log("info", "trigger.dropped", { conversation: view.stored.id });
      const progress = await endLook(context, view, { works: [] }, { kind: "nothing" }, token);
      if (progress.kind === "over") await wakeWaiting(context, view.stored.id);
      return progress;
    }
    case "later":
      return comeBack(context, view, decision, token);
    case "dead-letter":
      return deadLetterAndGoOn(context, view, decision, decision.state);
    case "turn":
      return begin(context, view, decision, token);
  }
}

async function deadLetterAndGoOn(
  context: AwsContext,
  view: ConversationView,
  content: LetterContent,
  after: ConversationState,
): Promise<Progress> {
  const deadLettered = await deadLetter(context, view, content, { ...after, window: undefined });
  if (deadLettered.kind === "changed") return { kind: "again", stored: deadLettered.stored };
  const { deadLetterId, stored } = deadLettered;
  const found = { ...view.stored.state, rows: view.rows };
  return { kind: "again", stored, outcome: deadLetteredAs(deadLetterId, stored.id, content, found) };
}

/** Window and trigger first, then the release: at every moment a window or a lease stands. */
async function comeBack(
  context: AwsContext,
  view: ConversationView,
  later: Extract<TakeDecision, { kind: "later" }>,
  token: string,
): Promise<Progress> {
  const { atMs, state } = later;
  // While all is paused a look is always due; now and then is enough, and resuming sends triggers.
  const nowMs = context.clock.nowMs();
  const held = state.heldFor === undefined ? atMs : nowMs + (atMs - nowMs) * SHARE_OF_HOLD;
  const wakeAtMs = Math.max(held, view.allPaused ? nowMs + context.settings.holdMs : 0);
  const { id: windowId, dueAtMs } = state.window!;
  await wakeAt(context, triggerIn(view), { windowId, dueAtMs, wakeAtMs, leastSeconds: 1 });
  const ended = await endLook(context, view, state, laterFrom(later, view.stored.id), token);
  if (ended.kind === "over") await wakeIfResumed(context, triggerIn(view), state.heldFor);
  return ended;
}

/**
 * Resuming a project wakes the windows that it finds. This one stood aside while we looked; it stands again,
 * so that either resuming finds it, or this read finds the project resumed.
 */
async function wakeIfResumed(
  context: AwsContext,
  trigger: Trigger,
  project: string | undefined,
): Promise<void> {
  if (project === undefined || (await projectChange(context, project))?.paused) return;
  await wakeNow(context, trigger);
}

async function endLook(
  context: AwsContext,
  { stored, record }: ConversationView,
  after: ConversationState,
  outcome: TakeOutcome,
  token: string,
): Promise<Progress> {
  const ended = { ...after, window: undefined, lease: undefined };
  // A turn of ours died, and what it was for has been answered or is gone.
  const isLeft = outcome.kind === "nothing" && isOwnWord(stored) && record?.status === PROCESSING;
  const saved = await (isLeft
    ? saveReleased(context, stored, ended, "put-back")
    : saveState(context, stored, ended));
  const isOver = saved.kind === "saved" || !isMine(saved.stored, token);
  return isOver ? { kind: "over", outcome } : { kind: "again", stored: saved.stored };
}

/** Stored and counted before the responder is asked: a batch that kills its process is counted, too. */
async function begin(
  context: AwsContext,
  view: ConversationView,
  decision: Extract<TakeDecision, { kind: "turn" }>,
  token: string,
): Promise<Progress> {
  const { stored, record } = view;
  const { work } = decision;
  const { status } = record!;
  const sender = rowSenderOf(record!);
  const statusBefore = statusBeforeBegun(context, stored, status);
  const batch = view.rows.filter(({ id }) => work.batchIds.includes(id));
  const channel = batch.at(-1)?.channel ?? triggerIn(view).channel;
  const content = contentOf(decision, batch);
  const [recentProviderIds, moved, project] = await Promise.all([
    decision.what === "draft" ? sentBefore(context, work.recordId) : [],
    lookUpAsync(movedSince(record!, content), recordsAt(context, record!)),
    projectRule(context, channelOf(content)),
  ]);
  const after = { ...decision.state, window: undefined };
  const written = { channel, [SENDER]: sender, ...NO_STATUS_NOTE };
  const saved = await saveBegun(context, stored, { after, written, record: record!, statusBefore });
  // The other system took it since we read its row: the next look finds it so, and comes back.
  if (saved.kind === "elsewhere") return { kind: "again", stored };
  // Our write took effect, its answer got lost, and a callback followed: the turn is in the row, as ours.
  const isOurs = isMine(saved.stored, token) && saved.stored.state.lease?.turnId === work.turnId;
  if (saved.kind === "changed" && !isOurs) return { kind: "again", stored: saved.stored };
  const noted = { statusBefore: saved.isNoted ? statusBefore : undefined, saysError: false };
  hold(context, token, { ...saved.stored, ...noted, channel, sender });
  context.batches.set(token, batch);
  const left = leftBehind(view, decision);
  if (left) context.leftBehind.set(token, left);
  context.senders.set(record!.id, sender);
  const conversation = { ...record!, status: (statusBefore ?? status) as ConversationStatus };
  const read = { id: stored.id, conversation, project, content, moved, recentProviderIds };
  return { kind: "over", outcome: { kind: "turn", taken: takenFrom(decision, read, context.settings) } };
}

/** Where this conversation's triggers go: the queue of the newest message's channel. */
function triggerIn({ stored, newest, record }: ConversationView): Trigger {
  return {
    conversationId: stored.id,
    sender: (record && rowSenderOf(record)) ?? newest?.sender ?? stored.sender ?? "",
    channel: newest?.channel ?? stored.channel ?? DEFAULT_QUEUE,
  };
}
