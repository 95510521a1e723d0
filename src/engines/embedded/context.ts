import type { ConversationState } from "../../core/state.ts";
import { AT_REST, isAtRest, wakeAtMs } from "../../core/state.ts";
import { arrivalsOf, type ClockReading, dueOf } from "../../core/take.ts";
import { windowInForce } from "../../core/window.ts";
import type { Lease } from "../../model/lease.ts";
import type { Settings } from "../../model/settings.ts";
import type { StagedRow, Tables } from "./tables.ts";

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

export function stateOf(step: StepContext, conversationId: string): ConversationState {
  return step.tables.states.get(conversationId) ?? AT_REST;
}

export function saveState(step: StepContext, conversationId: string, state: ConversationState): void {
  if (isAtRest(state)) {
    step.tables.states.put(conversationId, undefined);
    return;
  }
  step.tables.states.put(conversationId, state);
  const wakeAt = wakeAtMs(state);
  if (wakeAt !== undefined && !state.lease) step.armed(wakeAt);
}

/** The state, if this lease is still the newest. */
export function heldState(step: StepContext, lease: Lease): ConversationState | undefined {
  const state = step.tables.states.get(lease.conversationId);
  return state?.lease?.token === lease.token ? state : undefined;
}

/** Arms a window if none stands. Returns the due time of the window that stands then. */
export function arm(
  step: StepContext,
  conversationId: string,
  dueAtMs: number,
  state = stateOf(step, conversationId),
): number {
  if (state.window) return state.window.dueAtMs;
  saveState(step, conversationId, { ...state, window: { id: step.newId(), dueAtMs, wakeAtMs: dueAtMs } });
  return dueAtMs;
}

/** When what is staged is due: messages by their window, an outbound since it was requested. */
export function dueOfStaged(step: StepContext, conversationId: string): number {
  const saidAtMs = step.tables.staged.firstOutbound(conversationId)?.arrivedAtMs ?? Number.POSITIVE_INFINITY;
  const span = step.tables.staged.span(conversationId);
  if (span === undefined) return saidAtMs;
  const policy = windowInForce(
    step.settings,
    step.tables.conversations.get(conversationId),
    span.newestChannel,
  );
  const state = stateOf(step, conversationId);
  return Math.min(saidAtMs, dueOf(arrivalsOf(span), state, policy, clockOf(step)));
}

/** The time of the request, in the form that decisions about due times need. */
export function clockOf({ nowMs, settings }: StepContext): ClockReading {
  return { nowMs, clockSkewMs: settings.clockSkewMs };
}

/** Makes a worker look at once, and keeps the id and due time of a window that stands. */
export function wakeNow(step: StepContext, conversationId: string): void {
  const state = stateOf(step, conversationId);
  const standing = state.window ?? { id: step.newId(), dueAtMs: step.nowMs };
  saveState(step, conversationId, { ...state, window: { ...standing, wakeAtMs: step.nowMs } });
}

/** If `work` throws and can be undone, this conversation is put off, and the others go on. */
export function inItsOwnRoom<T>(step: StepContext, conversationId: string, work: () => T): T | undefined {
  const { apart } = step;
  if (!apart) return work();
  try {
    return apart(work);
  } catch (error) {
    apart(() => step.tables.states.putOff(conversationId, step.nowMs + step.settings.backoffMsMax));
    step.failed?.(conversationId, error);
    return undefined;
  }
}

export function messagesOf(rows: readonly StagedRow[]): Extract<StagedRow, { kind: "message" }>[] {
  return rows.filter((row) => row.kind === "message");
}
