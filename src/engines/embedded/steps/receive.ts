import { dueOnArrival } from "../../../core/due.ts";
import { PROCESSING } from "../../../core/elsewhere.ts";
import { conversationKey, messageId } from "../../../core/identity.ts";
import { isHeld } from "../../../core/lease.ts";
import { isUnattributed } from "../../../core/person.ts";
import { bytesOf } from "../../../core/pile.ts";
import { settingsFor } from "../../../core/projects.ts";
import { busyWith, decideReceipt } from "../../../core/rules.ts";
import type { ConversationState } from "../../../core/state.ts";
import type { Conversation } from "../../../model/conversation.ts";
import type { OwnSettings } from "../../../model/settings.ts";
import type { StageOutcome, StageRequest } from "../../../ports/engine.ts";
import { clockOf, projectRule, type StepContext, stageRow, stateOf } from "../context.ts";
import { createFor, findKnown, learn, nextId, withAlias } from "./find-conversation.ts";
import { refuseMore, roomFor } from "./full-conversation.ts";
import { type Receipt, refuse } from "./refuse.ts";
import { arm, dueIn } from "./window.ts";

/** DEDUPE, find the conversation, rules, STAGE, ARM: the window row is the trigger. */
export function stage(context: StepContext, requests: readonly StageRequest[]): StageOutcome[] {
  return requests.map((request) => stageOne(context, request));
}

function stageOne(context: StepContext, request: StageRequest): StageOutcome {
  const { arrival, refusal } = request;
  const id = messageId(arrival.channel, arrival.account, arrival.providerId);
  // Dedupe comes first: a redelivery must neither open a conversation nor cause a busy text.
  const isRemembered = context.tables.remembered.has(id);
  const key = conversationKey(context.settings, arrival);
  const choice = findKnown(context, key, arrival);
  if (isRemembered && !isSpoilt(context, choice.found?.id, id)) return { kind: "duplicate" };
  if (isUnattributed(request.writers, choice)) return { kind: "unattributed" };
  const { found } = choice;
  const receipt = { ...request, id };
  if (refusal !== undefined || context.settings.validation === "on-turn") {
    // Whose number it is now does not depend on whether this message is accepted, or on when its turn comes.
    learn(context, key, choice);
    if (refusal !== undefined) return refuse(context, receipt, refusal, undefined);
    return put(context, receipt, found?.id ?? nextId(context, { ...key, sender: choice.sender }), found);
  }
  const own = settingsFor(context.settings, arrival.channel);
  const busy = found && busyIn(context, found, own);
  const project = projectRule(context, arrival.channel);
  const decision = decideReceipt(found, project, busy !== undefined, key.channelType, own);
  if (decision.kind === "refuse") {
    learn(context, key, choice);
    return refuse(context, receipt, decision.code, found?.id, busy);
  }
  const conversation = found ? withAlias(context, found, choice) : createFor(context, key, choice);
  return put(context, receipt, conversation.id, conversation);
}

/**
 * Whether it waits in a row that turns out to be foreign: that is set aside, and the provider has just
 * brought a good copy. If it waits as it should, there is nothing new, but still ARM: its window may be gone.
 */
function isSpoilt(context: StepContext, conversationId: string | undefined, id: string): boolean {
  const { staged } = context.tables;
  if (conversationId === undefined || !staged.pile(conversationId, id).holds) return false;
  if (staged.of(conversationId, [id]).length === 0) return true;
  const { window, lease } = stateOf(context, conversationId);
  if (!window && !lease) arm(context, conversationId, dueIn(context, conversationId));
  return false;
}

function put(
  context: StepContext,
  receipt: Receipt,
  conversationId: string,
  conversation: Conversation | undefined,
): StageOutcome {
  const { arrival, id } = receipt;
  const bytes = bytesOf(arrival);
  const state = stateOf(context, conversationId);
  const room = roomFor(context, conversationId, state, { id, bytes, channel: arrival.channel });
  if (room.kind === "waits") return { kind: "duplicate" };
  if (room.kind === "full") return refuseMore(context, receipt, conversationId, state);
  const message = { ...arrival, id, sequence: 0 };
  stageRow(context, { kind: "message", id, conversationId, message, bytes }, room.end);
  const dueAtMs = dueOnArrival(arrival, conversation, context.settings, clockOf(context));
  const holder = holderIn(context, state);
  return {
    kind: "staged",
    conversationId,
    dueAtMs: arm(context, conversationId, dueAtMs, state),
    ...(state.window && { isJoined: true }),
    ...(holder !== undefined && { heldBy: holder }),
  };
}

function holderIn({ nowMs, settings }: StepContext, { lease }: ConversationState): string | undefined {
  return isHeld(lease, nowMs, settings.clockSkewMs) ? lease.holder : undefined;
}

/** Only `reject` refuses a message while a turn runs: the others save the read. */
function busyIn(
  context: StepContext,
  conversation: Conversation,
  { whileBusy }: OwnSettings,
): string | undefined {
  const { settings, nowMs } = context;
  if (whileBusy !== "reject") return undefined;
  const isElsewhere = conversation.status === PROCESSING;
  return busyWith({ ...conversation, isElsewhere }, stateOf(context, conversation.id), nowMs, settings);
}
