import { mayTellOf, type Teller, withChunk } from "../../../core/draft.ts";
import { conversationId, conversationKey, messageId } from "../../../core/identity.ts";
import { isHeld } from "../../../core/lease.ts";
import { changedName, isPassing, namesOf, whoseIs } from "../../../core/names.ts";
import { newConversation } from "../../../core/new-conversation.ts";
import {
  alsoAskedFor,
  type Choice,
  chooseByName,
  chooseConversation,
  namesWaiting,
  otherNamesOf,
} from "../../../core/person.ts";
import { bytesOf, isFull } from "../../../core/pile.ts";
import { decideReceipt } from "../../../core/rules.ts";
import { type ConversationState, workOf } from "../../../core/state.ts";
import { dueOf } from "../../../core/take.ts";
import { windowInForce } from "../../../core/window.ts";
import type { Conversation, ConversationKey, NewConversation } from "../../../model/conversation.ts";
import type { Arrival, ChunkReference, DeliveryStatus } from "../../../model/message.ts";
import type { Named, NameRecords } from "../../../model/names.ts";
import type { RefusalCode } from "../../../model/refusal.ts";
import type { StageOutcome, StageRequest } from "../../../ports/engine.ts";
import { arm, clockOf, dueOfStaged, type StepContext, saveState, stateOf, wakeNow } from "../context.ts";

/** DEDUPE, find the conversation, rules, STAGE, ARM: the window row is the trigger. */
export function stage(step: StepContext, requests: readonly StageRequest[]): StageOutcome[] {
  return requests.map((request) => stageOne(step, request));
}

function stageOne(step: StepContext, request: StageRequest): StageOutcome {
  const { arrival, refusal } = request;
  const id = messageId(arrival.channel, arrival.account, arrival.providerId);
  // Dedupe comes first: a redelivery must neither open a conversation nor earn a busy text.
  const { fate, stagedIn } = step.tables.remembered.seenBefore(id);
  if (fate !== undefined) return { kind: "duplicate" };
  if (stagedIn !== undefined) return stagedBefore(step, stagedIn);
  const key = conversationKey(step.settings, arrival);
  const choice = chosen(step, key, arrival);
  const { found } = choice;
  if (refusal !== undefined || step.settings.validation === "on-turn") {
    // Whose the number is by now does not depend on whether this message is taken, or when its turn comes.
    if (found) withAlias(step, found, choice);
    else keepNames(step, key, choice);
    if (refusal !== undefined) return refuse(step, request, id, refusal, undefined);
    return put(step, request, id, found?.id ?? nextId(step, { ...key, sender: choice.sender }), found);
  }
  // Only `reject` has to know: the others save the look.
  const isBusyNow = step.settings.whileBusy === "reject" && found !== undefined && isBusy(step, found.id);
  const decision = decideReceipt(found, isBusyNow, key.channelType, step.settings);
  if (decision.kind === "refuse") {
    if (found) withAlias(step, found, choice);
    else keepNames(step, key, choice);
    return refuse(step, request, id, decision.code, found?.id);
  }
  const conversation = found ? withAlias(step, found, choice) : createFor(step, key, choice);
  return put(step, request, id, conversation.id, conversation);
}

/** Nothing new, but still ARM: whoever staged it first may have died before anybody was told to look. */
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
  // The message's own window: whatever else is staged has a window standing, or a turn that holds it.
  const closesAtMs = dueOf(
    [arrival],
    {},
    windowInForce(step.settings, conversation, arrival.channel),
    clockOf(step),
  );
  const due = arm(step, conversationIdOfIt, closesAtMs, state);
  return { kind: "staged", conversationId: conversationIdOfIt, dueAtMs: due };
}

/** Where neither a window nor a lease stands nothing waits: nobody counts it then. */
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

/** One record and one word for all that come while it is full: refusals are a pile, too. */
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
  { arrival, isUnrecorded }: StageRequest,
  id: string,
  code: RefusalCode,
  conversationIdOfIt: string | undefined,
): Extract<StageOutcome, { kind: "refused" }> {
  const about = conversationIdOfIt === undefined ? {} : { conversationId: conversationIdOfIt };
  const { channel, sender } = arrival;
  if (!isUnrecorded && !isOnRecord(step, id, code))
    step.tables.refusals.put({ messageId: id, ...about, channel, sender, code, atMs: step.nowMs });
  const tellBusy =
    code === "CONVERSATION_LOCKED" && conversationIdOfIt !== undefined && tellOnce(step, conversationIdOfIt);
  return { kind: "refused", code, ...about, tellBusy };
}

/** What is too large is so whenever it comes, and a caller that does not believe it comes again and again. */
function isOnRecord({ tables, nowMs, settings }: StepContext, id: string, code: RefusalCode): boolean {
  if (code !== "MESSAGE_TOO_LARGE") return false;
  // Beside the ids of messages, and none of them: no channel has such a name.
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
    isHeld(state.lease, step.nowMs, step.settings.clockSkewMs) || state.draft?.awaitingUntilAtMs !== undefined
  );
}

/** The id that the key's next conversation will have. */
export function nextId(step: StepContext, key: ConversationKey): string {
  return conversationId(step.secret, key, step.tables.conversations.latestId(key));
}

/**
 * The record of on-turn messages: the one under whose id they wait, or the next of its person where its task is complete. The place tells whose they
 * are: what is kept of names was learnt when they were staged, and by now the number may be another's.
 */
export function resolve(
  step: StepContext,
  place: string,
  messages: readonly Arrival[],
): Conversation | undefined {
  const { tables, settings } = step;
  const key = conversationKey(settings, messages.at(-1)!);
  const complete = tables.conversations.get(place);
  const own = messages.flatMap(namesOf);
  const records = tables.names.records(key, [...new Set([...own, ...(complete ? [complete.sender] : [])])]);
  const isPlaceOf = (sender: string) => nextId(step, { ...key, sender }) === place;
  const name = complete
    ? whoseIs(complete, records) || complete.sender
    : namesWaiting(messages, records).find(isPlaceOf);
  const known = name || own[0]!;
  const all = new Map([
    ...records,
    ...tables.names.records(key, [known, ...alsoAskedFor({ sender: known }, records)]),
  ]);
  const choice = chooseByName(
    known,
    tables.conversations.active(key, [known, ...otherNamesOf({ sender: known }, all)]),
    all,
  );
  return choice.found ?? (settings.admission === "open" ? createFor(step, key, choice) : undefined);
}

/** Among the active conversations under any of these names at this address of ours, or of who has the number. */
export function chosen({ tables }: StepContext, key: ConversationKey, names: Named): Choice<Conversation> {
  const own = namesOf(names);
  // Only numbers pass on: of a name that stays nothing has to be known but its conversations.
  const known = own.some(isPassing) ? tables.names.records(key, own) : NOTHING_KEPT;
  const also = alsoAskedFor(names, known);
  const records = also.length === 0 ? known : new Map([...known, ...tables.names.records(key, also)]);
  return chooseConversation(names, tables.conversations.active(key, [...own, ...also]), records);
}

const NOTHING_KEPT: NameRecords = new Map();

function createFor(step: StepContext, key: ConversationKey, choice: Choice<Conversation>): Conversation {
  const { projectStatus, allowedChannels } = step.settings;
  return createConversation(
    step,
    { ...key, projectStatus, ...(allowedChannels && { allowedChannels }) },
    choice,
  );
}

/** Under the name that stays, where it is known. */
export function createConversation(
  step: StepContext,
  given: Omit<NewConversation, "senderAlias">,
  choice: Choice<Conversation>,
): Conversation {
  const { channelType, address } = given;
  const { sender } = choice;
  const id = nextId(step, { channelType, address, sender });
  const { projectStatus } = step.settings;
  const made = newConversation(id, { ...given, sender }, { projectStatus, nowMs: step.nowMs });
  const conversation = learning(step, made, choice);
  step.tables.conversations.put(conversation);
  return conversation;
}

/** Learns the person's other name, so that a later message that carries only that one is found too. */
export function withAlias(
  step: StepContext,
  conversation: Conversation,
  choice: Choice<Conversation>,
): Conversation {
  const named = learning(step, conversation, choice);
  if (named !== conversation) step.tables.conversations.put(named);
  return named;
}

function learning(step: StepContext, conversation: Conversation, choice: Choice<Conversation>): Conversation {
  keepNames(step, conversation, choice, conversation.id);
  const { learns } = choice;
  return learns === undefined ? conversation : { ...conversation, senderAlias: learns };
}

/** The conversations of whoever had the number before bear it no more. */
function keepNames(
  { tables }: StepContext,
  key: ConversationKey,
  { keeps, passedOn }: Choice<Conversation>,
  conversationId?: string,
): void {
  if (passedOn)
    for (const { senderAlias, ...rest } of tables.conversations.active(key, [passedOn.from]))
      if (senderAlias === passedOn.name) tables.conversations.put(rest);
  for (const [name, change] of keeps(conversationId))
    tables.names.put(key, name, changedName(tables.names.records(key, [name]).get(name), change));
}

/** A callback that names its chunk proves that the provider has the message: `sending` becomes `sent`. */
export function recordDelivery(
  step: StepContext,
  { channel, status }: { channel: string; status: DeliveryStatus },
): "settled" | "recorded" | "unmatched" {
  const { chunk: reference, address } = status;
  const by = { channel, address };
  const wasUnknown = reference !== undefined && settleUnknown(step, by, reference);
  const id = reference && step.tables.states.ofTurn(reference.turnId);
  const state = id === undefined ? undefined : stateOf(step, id);
  // A turn that has drafted nothing has sent nothing.
  const draft = state?.draft?.turnId === reference?.turnId ? state?.draft : undefined;
  if (draft && !mayTellOf(draft, by)) return "unmatched";
  // Nothing is kept of a turn that is not known here: it is another installation's, or an erased person's.
  const turnId = wasUnknown || draft ? reference?.turnId : undefined;
  const isKnown = step.tables.history.putDelivery(channel, status, turnId, step.nowMs);
  if (wasUnknown) return "settled";
  if (!reference || !draft || !state || id === undefined) return isKnown ? "recorded" : "unmatched";
  if (draft.chunks[reference.chunk]?.state.kind !== "sending") return "recorded";
  const sent = withChunk(draft, reference.chunk, {
    kind: "sent",
    providerId: status.providerId,
    atMs: step.nowMs,
  });
  saveState(step, id, { ...state, draft: sent, notBeforeAtMs: undefined });
  // Whoever waits for this chunk to settle need not wait any longer.
  if (!state.lease && workOf(state, draft.turnId)) wakeNow(step, id);
  return "settled";
}

function settleUnknown(step: StepContext, by: Teller, { turnId, chunk }: ChunkReference): boolean {
  const id = `${turnId}.${chunk}`;
  const unknown = step.tables.unknownSends.get(id);
  if (!unknown || !mayTellOf(unknown, by)) return false;
  step.tables.unknownSends.delete(id);
  return true;
}
