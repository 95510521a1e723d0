import { dueOnArrival } from "../../../core/due.ts";
import { conversationKey, messageId } from "../../../core/identity.ts";
import { isUnattributed } from "../../../core/person.ts";
import { bytesOf } from "../../../core/pile.ts";
import { decideReceipt, isBusy } from "../../../core/rules.ts";
import type { Conversation } from "../../../model/conversation.ts";
import type { StageOutcome, StageRequest } from "../../../ports/engine.ts";
import { arm, clockOf, dueIn, type StepContext, stateOf } from "../context.ts";
import { createFor, findKnown, learn, nextId, withAlias } from "./find-conversation.ts";
import { isFullNow, refuseMore } from "./full-conversation.ts";
import { type Refused, refuse } from "./refuse.ts";

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
  const choice = findKnown(context, key, arrival);
  if (isUnattributed(request.writers, choice)) return { kind: "unattributed" };
  const { found } = choice;
  const receipt = { ...request, id };
  if (refusal !== undefined || context.settings.validation === "on-turn") {
    // Whose number it is now does not depend on whether this message is accepted, or on when its turn comes.
    learn(context, key, choice);
    if (refusal !== undefined) return refuse(context, receipt, refusal, undefined);
    return put(context, receipt, found?.id ?? nextId(context, { ...key, sender: choice.sender }), found);
  }
  const isBusyNow = found !== undefined && isBusyIn(context, found.id);
  const decision = decideReceipt(found, isBusyNow, key.channelType, context.settings);
  if (decision.kind === "refuse") {
    learn(context, key, choice);
    return refuse(context, receipt, decision.code, found?.id);
  }
  const conversation = found ? withAlias(context, found, choice) : createFor(context, key, choice);
  return put(context, receipt, conversation.id, conversation);
}

/** Nothing new, but still ARM: the webhook that staged it first may have died before it armed a window. */
function stagedBefore(context: StepContext, id: string): StageOutcome {
  const { window, lease } = stateOf(context, id);
  if (!window && !lease) arm(context, id, dueIn(context, id));
  return { kind: "duplicate" };
}

function put(
  context: StepContext,
  receipt: Refused,
  conversationId: string,
  conversation: Conversation | undefined,
): StageOutcome {
  const { arrival, id } = receipt;
  const bytes = bytesOf(arrival);
  const state = stateOf(context, conversationId);
  if (isFullNow(context, conversationId, state, bytes))
    return refuseMore(context, receipt, conversationId, state);
  const message = { ...arrival, id, sequence: 0 };
  context.tables.staged.add({ kind: "message", id, conversationId, message, bytes });
  const dueAtMs = dueOnArrival(arrival, conversation, context.settings, clockOf(context));
  return { kind: "staged", conversationId, dueAtMs: arm(context, conversationId, dueAtMs, state) };
}

/** Only `reject` refuses a message while a turn runs: the others save the read. */
function isBusyIn(context: StepContext, id: string): boolean {
  const { whileBusy, clockSkewMs } = context.settings;
  return whileBusy === "reject" && isBusy(stateOf(context, id), context.nowMs, clockSkewMs);
}
