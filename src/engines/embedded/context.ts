import { changed, type RecordChange } from "../../core/conversation-change.ts";
import { arrivalsOf, type ClockReading, dueOfStaged } from "../../core/due.ts";
import { AT_REST, type ConversationState, isAtRest, wakeAtMs, windowAt } from "../../core/state.ts";
import { windowInForce } from "../../core/window.ts";
import type { Conversation } from "../../model/conversation.ts";
import type { Lease } from "../../model/lease.ts";
import { NO_USAGE, type Usage } from "../../model/reply.ts";
import type { Settings } from "../../model/settings.ts";
import type { Tables } from "./tables.ts";

/** What every step is given: the tables inside its transaction, the settings, the time of the request. */
export interface StepContext {
  readonly tables: Tables;
  readonly settings: Settings;
  readonly holder: string;
  readonly nowMs: number;
  readonly newId: () => string;
  /** What makes the ids of conversations unique to this installation. */
  readonly secret: string;
  /** Undoes `work` if it throws. Set once a request threw, so that the others in its transaction go on. */
  readonly apart?: <T>(work: () => T) => T;
  /** Called if one conversation makes every look fail. */
  readonly failed?: (conversationId: string, error: unknown) => void;
  /** Called with the time at which a worker will have to look at a conversation. */
  readonly armed: (atMs: number) => void;
}

export function stateOf(context: StepContext, conversationId: string): ConversationState {
  return context.tables.states.get(conversationId) ?? AT_REST;
}

export function saveState(context: StepContext, conversationId: string, state: ConversationState): void {
  if (isAtRest(state)) {
    context.tables.states.put(conversationId, undefined);
    return;
  }
  context.tables.states.put(conversationId, state);
  const wakeAt = wakeAtMs(state);
  if (wakeAt !== undefined && !state.lease) context.armed(wakeAt);
}

/** The state, if this lease is still the newest. */
export function heldState(context: StepContext, lease: Lease): ConversationState | undefined {
  const state = context.tables.states.get(lease.conversationId);
  return state?.lease?.token === lease.token ? state : undefined;
}

/** Undefined if there is no record: it was removed by hand. */
export function changeRecord(
  { tables, nowMs }: StepContext,
  id: string,
  change: RecordChange,
  usage: Usage = NO_USAGE,
): Conversation | undefined {
  const before = tables.conversations.get(id);
  if (!before) return undefined;
  const after = {
    ...changed(before, change, nowMs),
    promptTokens: before.promptTokens + usage.promptTokens,
    completionTokens: before.completionTokens + usage.completionTokens,
    totalTokens: before.totalTokens + usage.totalTokens,
  };
  tables.conversations.put(after);
  return after;
}

/** Arms a window if none stands. Returns the due time of the window that stands then. */
export function arm(
  context: StepContext,
  conversationId: string,
  dueAtMs: number,
  state = stateOf(context, conversationId),
): number {
  if (state.window) return state.window.dueAtMs;
  saveState(context, conversationId, { ...state, window: windowAt(undefined, context.newId(), dueAtMs) });
  return dueAtMs;
}

/** When what is staged in the conversation is due. */
export function dueIn(context: StepContext, conversationId: string): number {
  const { staged, conversations } = context.tables;
  const span = staged.span(conversationId);
  const messages = span ? arrivalsOf(span) : [];
  const outbound = staged.firstOutbound(conversationId);
  const policy = windowInForce(context.settings, conversations.get(conversationId), span?.newestChannel);
  const waiting = { messages, outbounds: outbound ? [outbound] : [] };
  return dueOfStaged(waiting, stateOf(context, conversationId), policy, clockOf(context));
}

/** The time of the request, in the form that decisions about due times need. */
export function clockOf({ nowMs, settings }: StepContext): ClockReading {
  return { nowMs, clockSkewMs: settings.clockSkewMs };
}

/** Makes a worker look at once, and keeps the id and due time of a window that stands. */
export function wakeNow(context: StepContext, conversationId: string): void {
  const state = stateOf(context, conversationId);
  const window = windowAt(state.window, context.newId(), context.nowMs);
  saveState(context, conversationId, { ...state, window });
}

/** If `work` throws and can be undone, this conversation is put off, and the others go on. */
export function orPutOff<T>(context: StepContext, conversationId: string, work: () => T): T | undefined {
  const { apart } = context;
  if (!apart) return work();
  try {
    return apart(work);
  } catch (error) {
    apart(() => context.tables.states.putOff(conversationId, context.nowMs + context.settings.backoffMsMax));
    context.failed?.(conversationId, error);
    return undefined;
  }
}
