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
export function stage(step: StepContext, requests: readonly StageRequest[]): StageOutcome[] {
  return requests.map((request) => stageOne(step, request));
}

function stageOne(step: StepContext, request: StageRequest): StageOutcome {
  const { arrival, refusal } = request;
  const id = messageId(arrival.channel, arrival.account, arrival.providerId);
  // Dedupe comes first: a redelivery must neither open a conversation nor cause a busy text.
  const { fate, stagedIn } = step.tables.remembered.seenBefore(id);
  if (fate !== undefined) return { kind: "duplicate" };
  if (stagedIn !== undefined) return stagedBefore(step, stagedIn);
  const key = conversationKey(step.settings, arrival);
  const choice = chosen(step, key, arrival);
  if (isUnattributed(request.writers, choice)) return { kind: "unattributed" };
  const { found } = choice;
  if (refusal !== undefined || step.settings.validation === "on-turn") {
    // Whose number it is now does not depend on whether this message is accepted, or on when its turn comes.
    learn(step, key, choice);
    if (refusal !== undefined) return refuse(step, request, id, refusal, undefined);
    return put(step, request, id, found?.id ?? nextId(step, { ...key, sender: choice.sender }), found);
  }
  // Only `reject` has to know: the others save the read.
  const isBusyNow = step.settings.whileBusy === "reject" && found !== undefined && isBusy(step, found.id);
  const decision = decideReceipt(found, isBusyNow, key.channelType, step.settings);
  if (decision.kind === "refuse") {
    learn(step, key, choice);
    return refuse(step, request, id, decision.code, found?.id);
  }
  const conversation = found ? withAlias(step, found, choice) : createFor(step, key, choice);
  return put(step, request, id, conversation.id, conversation);
}

/** Nothing new, but still ARM: the webhook that staged it first may have died before it armed a window. */
function stagedBefore(step: StepContext, id: string): StageOutcome {
  const { window, lease } = stateOf(step, id);
  if (!window && !lease) arm(step, id, dueOfStaged(step, id));
  return { kind: "duplicate" };
}

function put(
  step: StepContext,
  request: StageRequest,
  id: string,
  conversationIdOfIt: string,
  conversation: Conversation | undefined,
): StageOutcome {
  const { arrival } = request;
  const bytes = bytesOf(arrival);
  const state = stateOf(step, conversationIdOfIt);
  if (hasNoPlace(step, conversationIdOfIt, state, bytes))
    return refuseMore(step, request, id, conversationIdOfIt, state);
  const message = { ...arrival, id, sequence: 0 };
  step.tables.staged.add({ kind: "message", id, conversationId: conversationIdOfIt, message, bytes });
  // The message's own window: everything else that is staged has a window, or a turn that holds it.
  const closesAtMs = dueOf(
    [arrival],
    {},
    windowInForce(step.settings, conversation, arrival.channel),
    clockOf(step),
  );
  const due = arm(step, conversationIdOfIt, closesAtMs, state);
  return { kind: "staged", conversationId: conversationIdOfIt, dueAtMs: due };
}

/** Without a window or a lease nothing waits, so the pile need not be counted. */
function hasNoPlace(
  step: StepContext,
  id: string,
  { window, lease }: ConversationState,
  bytes: number,
): boolean {
  return (
    (window !== undefined || lease !== undefined) && isFull(step.tables.staged.pile(id), step.settings, bytes)
  );
}

/** One record and one busy text for all messages that come while it is full: refusals are a pile, too. */
function refuseMore(
  step: StepContext,
  request: StageRequest,
  id: string,
  conversationIdOfIt: string,
  state: ConversationState,
): StageOutcome {
  const code = "RATE_LIMITED";
  if (state.fullTold) return { kind: "refused", code, conversationId: conversationIdOfIt, tellBusy: false };
  step.tables.states.put(conversationIdOfIt, { ...state, fullTold: true });
  return { ...refuse(step, request, id, code, conversationIdOfIt), tellBusy: true };
}

function refuse(
  step: StepContext,
  { arrival, isUnrecorded, isRefusedForGood }: StageRequest,
  id: string,
  code: RefusalCode,
  conversationIdOfIt: string | undefined,
): Extract<StageOutcome, { kind: "refused" }> {
  const about = conversationIdOfIt === undefined ? {} : { conversationId: conversationIdOfIt };
  const { channel, sender } = arrival;
  const isOver = isRefusedForGood && !isUnrecorded && isLasting(code);
  if (isOver) step.tables.remembered.add([id], "refused", step.nowMs + step.settings.dedupeMs);
  if (!isUnrecorded && (isOver || !isOnRecord(step, id, code)))
    step.tables.refusals.put({ messageId: id, ...about, channel, sender, code, atMs: step.nowMs });
  const tellBusy =
    code === "CONVERSATION_LOCKED" && conversationIdOfIt !== undefined && tellOnce(step, conversationIdOfIt);
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
function tellOnce(step: StepContext, id: string): boolean {
  const state = stateOf(step, id);
  const running = state.lease?.turnId ?? state.draft?.turnId;
  if (state.busyToldTurnId === running) return false;
  step.tables.states.put(id, { ...state, busyToldTurnId: running });
  return true;
}

function isBusy(step: StepContext, id: string): boolean {
  const state = stateOf(step, id);
  return (
    isRunning(state.lease, step.nowMs, step.settings.clockSkewMs) ||
    state.draft?.awaitingUntilAtMs !== undefined
  );
}
