import { arrivalsOf, dueOfStaged } from "../../../core/due.ts";
import { windowAt } from "../../../core/state.ts";
import { windowInForce } from "../../../core/window.ts";
import { clockOf, type StepContext, saveState, stateOf } from "../context.ts";

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

/** Makes a worker look at once, and keeps the id and due time of a window that stands. */
export function wakeNow(context: StepContext, conversationId: string): void {
  const state = stateOf(context, conversationId);
  const window = windowAt(state.window, context.newId(), context.nowMs);
  saveState(context, conversationId, { ...state, window });
}
