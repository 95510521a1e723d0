import { conversationKey, messageId } from "../../../core/identity.ts";
import { isRunning } from "../../../core/lease.ts";
import { isUnattributed } from "../../../core/person.ts";
import { bytesOf, isFull } from "../../../core/pile.ts";
import { isLasting } from "../../../core/refusals.ts";
import { decideReceipt } from "../../../core/rules.ts";
import type { ConversationState } from "../../../core/state.ts";
import { dueOf } from "../../../core/take.ts";
import { windowInForce } from "../../../core/window.ts";
import type { Conversation } from "../../../model/conversation.ts";
import type { RefusalCode } from "../../../model/refusal.ts";
import type { StageOutcome, StageRequest } from "../../../ports/engine.ts";
import { arm, clockOf, dueOfStaged, type StepContext, stateOf } from "../context.ts";
import { chosen, createFor, learn, nextId, withAlias } from "./find-conversation.ts";

/** DEDUPE, find the conversation, rules, STAGE, ARM: the window row is the trigger. */
export function stage(context: StepContext, requests: readonly StageRequest[]): StageOutcome[] {
  return requests.map((request) => stageOne(context, request));
}

function stageOne(context: StepContext, request: StageRequest): StageOutcome {
  const { arrival, refusal } = request;
  const id = messageId(arrival.channel, arrival.account, arrival.providerId);
  // Dedupe comes first: a redelivery must neither open a conversation nor cause a busy text.
  const { fate, stagedIn } = context.tables.remembered.seenBefore(id);
  if (fate !== undefined) return { kind: "duplicate" };
  if (stagedIn !== undefined) return stagedBefore(context, stagedIn);
  const key = conversationKey(context.settings, arrival);
  const choice = chosen(context, key, arrival);
  if (isUnattributed(request.writers, choice)) return { kind: "unattributed" };
  const { found } = choice;
  if (refusal !== undefined || context.settings.validation === "on-turn") {
    // Whose number it is now does not depend on whether this message is accepted, or on when its turn comes.
    learn(context, key, choice);
    if (refusal !== undefined) return refuse(context, request, id, refusal, undefined);
    return put(context, request, id, found?.id ?? nextId(context, { ...key, sender: choice.sender }), found);
  }
  // Only `reject` has to know: the others save the read.
  const isBusyNow =
    context.settings.whileBusy === "reject" && found !== undefined && isBusy(context, found.id);
  const decision = decideReceipt(found, isBusyNow, key.channelType, context.settings);
  if (decision.kind === "refuse") {
    learn(context, key, choice);
    return refuse(context, request, id, decision.code, found?.id);
  }
  const conversation = found ? withAlias(context, found, choice) : createFor(context, key, choice);
  return put(context, request, id, conversation.id, conversation);
}

/** Nothing new, but still ARM: the webhook that staged it first may have died before it armed a window. */
function stagedBefore(context: StepContext, id: string): StageOutcome {
  const { window, lease } = stateOf(context, id);
  if (!window && !lease) arm(context, id, dueOfStaged(context, id));
  return { kind: "duplicate" };
}

function put(
  context: StepContext,
  request: StageRequest,
  id: string,
  conversationIdOfIt: string,
  conversation: Conversation | undefined,
): StageOutcome {
  const { arrival } = request;
  const bytes = bytesOf(arrival);
  const state = stateOf(context, conversationIdOfIt);
  if (hasNoPlace(context, conversationIdOfIt, state, bytes))
    return refuseMore(context, request, id, conversationIdOfIt, state);
  const message = { ...arrival, id, sequence: 0 };
  context.tables.staged.add({ kind: "message", id, conversationId: conversationIdOfIt, message, bytes });
  // The message's own window: everything else that is staged has a window, or a turn that holds it.
  const closesAtMs = dueOf(
    [arrival],
    {},
    windowInForce(context.settings, conversation, arrival.channel),
    clockOf(context),
  );
  const due = arm(context, conversationIdOfIt, closesAtMs, state);
  return { kind: "staged", conversationId: conversationIdOfIt, dueAtMs: due };
}

/** Without a window or a lease nothing waits, so the pile need not be counted. */
function hasNoPlace(
  context: StepContext,
  id: string,
  { window, lease }: ConversationState,
  bytes: number,
): boolean {
  return (
    (window !== undefined || lease !== undefined) &&
    isFull(context.tables.staged.pile(id), context.settings, bytes)
  );
}

/** One record and one busy text for all messages that come while it is full: refusals are a pile, too. */
function refuseMore(
  context: StepContext,
  request: StageRequest,
  id: string,
  conversationIdOfIt: string,
  state: ConversationState,
): StageOutcome {
  const code = "RATE_LIMITED";
  if (state.fullTold) return { kind: "refused", code, conversationId: conversationIdOfIt, tellBusy: false };
  context.tables.states.put(conversationIdOfIt, { ...state, fullTold: true });
  return { ...refuse(context, request, id, code, conversationIdOfIt), tellBusy: true };
}

function refuse(
  context: StepContext,
  { arrival, isUnrecorded, isRefusedForGood }: StageRequest,
  id: string,
  code: RefusalCode,
  conversationIdOfIt: string | undefined,
): Extract<StageOutcome, { kind: "refused" }> {
  const about = conversationIdOfIt === undefined ? {} : { conversationId: conversationIdOfIt };
  const { channel, sender } = arrival;
  const isOver = isRefusedForGood && !isUnrecorded && isLasting(code);
  if (isOver) context.tables.remembered.add([id], "refused", context.nowMs + context.settings.dedupeMs);
  if (!isUnrecorded && (isOver || !isOnRecord(context, id, code)))
    context.tables.refusals.put({ messageId: id, ...about, channel, sender, code, atMs: context.nowMs });
  const tellBusy =
    code === "CONVERSATION_LOCKED" &&
    conversationIdOfIt !== undefined &&
    tellOnce(context, conversationIdOfIt);
  return { kind: "refused", code, ...about, tellBusy };
}

/** A message that is too large stays so, and a caller that ignores the refusal sends it again and again. */
function isOnRecord({ tables, nowMs, settings }: StepContext, id: string, code: RefusalCode): boolean {
  if (code !== "MESSAGE_TOO_LARGE") return false;
  // Beside the ids of messages, and never equal to one: no channel has such a name.
  const mark = `!refused/${id}`;
  if (tables.remembered.seenBefore(mark).fate !== undefined) return true;
  tables.remembered.add([mark], "dead", nowMs + settings.dedupeMs);
  return false;
}

/** True for the first refusal of a running turn. */
function tellOnce(context: StepContext, id: string): boolean {
  const state = stateOf(context, id);
  const running = state.lease?.turnId ?? state.draft?.turnId;
  if (state.busyToldTurnId === running) return false;
  context.tables.states.put(id, { ...state, busyToldTurnId: running });
  return true;
}

function isBusy(context: StepContext, id: string): boolean {
  const state = stateOf(context, id);
  return (
    isRunning(state.lease, context.nowMs, context.settings.clockSkewMs) ||
    state.draft?.awaitingUntilAtMs !== undefined
  );
}
