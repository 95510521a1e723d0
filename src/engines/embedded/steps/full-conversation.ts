import { busyOutbound } from "../../../core/busy-text.ts";
import { isFull } from "../../../core/pile.ts";
import type { ConversationState } from "../../../core/state.ts";
import type { StageOutcome } from "../../../ports/engine.ts";
import { type StepContext, stateOf } from "../context.ts";
import { say } from "./conversations.ts";
import { findRecord } from "./on-turn.ts";
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

/**
 * One record and one busy text for all messages that come while it is full: refusals are a pile, too. The
 * text is staged with the mark, in one step: a customer who was not told is told by the next message.
 */
export function refuseMore(
  context: StepContext,
  refused: Refused,
  conversationId: string,
  state: ConversationState,
): StageOutcome {
  const code = "RATE_LIMITED";
  const more = { kind: "refused", code, conversationId, tellBusy: false } as const;
  if (state.fullTold) return more;
  const fullTold = tell(context, refused, conversationId, state);
  context.tables.states.put(conversationId, { ...stateOf(context, conversationId), fullTold });
  const isFirst = state.fullTold === undefined;
  return isFirst ? { ...refuse(context, refused, code, conversationId), tellBusy: true } : more;
}

/** On turn, the pile may wait for a record that does not exist yet: nothing is said without one. */
function tell(
  context: StepContext,
  { arrival }: Refused,
  conversationId: string,
  state: ConversationState,
): boolean {
  if (context.settings.validation === "on-turn") findRecord(context, conversationId, state);
  const text = context.settings.busyText;
  const outbound = busyOutbound(arrival, { id: context.newId(), conversationId, text });
  return say(context, outbound) !== "not-found";
}
