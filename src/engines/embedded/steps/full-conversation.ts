import { isFull } from "../../../core/pile.ts";
import type { ConversationState } from "../../../core/state.ts";
import type { StageOutcome } from "../../../ports/engine.ts";
import type { StepContext } from "../context.ts";
import { type Refused, refuse } from "./refuse.ts";

/** Without a window or a lease nothing waits, so the pile need not be counted. */
export function isFullNow(
  { tables, settings }: StepContext,
  id: string,
  { window, lease }: ConversationState,
  bytes: number,
): boolean {
  const mayWait = window !== undefined || lease !== undefined;
  return mayWait && isFull(tables.staged.pile(id), settings, bytes);
}

/** One record and one busy text for all messages that come while it is full: refusals are a pile, too. */
export function refuseMore(
  context: StepContext,
  refused: Refused,
  conversationId: string,
  state: ConversationState,
): StageOutcome {
  const code = "RATE_LIMITED";
  if (state.fullTold) return { kind: "refused", code, conversationId, tellBusy: false };
  context.tables.states.put(conversationId, { ...state, fullTold: true });
  return { ...refuse(context, refused, code, conversationId), tellBusy: true };
}
