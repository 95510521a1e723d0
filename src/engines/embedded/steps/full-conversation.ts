import { busyOutbound } from "../../../core/busy-text.ts";
import type { ConversationState } from "../../../core/state.ts";
import type { StageOutcome } from "../../../ports/engine.ts";
import { type StepContext, stateOf } from "../context.ts";
import type { StagedTable } from "../tables.ts";
import { say } from "./conversations.ts";
import { findRecord } from "./on-turn.ts";
import { type Refused, refuse } from "./refuse.ts";

/** What waits, and whether this message does. Undefined without a window or a lease: then nothing waits. */
export function pileIn(
  { tables }: StepContext,
  conversationId: string,
  { window, lease }: ConversationState,
  messageId: string,
): ReturnType<StagedTable["pile"]> | undefined {
  return window || lease ? tables.staged.pile(conversationId, messageId) : undefined;
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
  if (state.fullTold) return { kind: "refused", code, conversationId, tellBusy: false };
  tell(context, refused, conversationId, state);
  context.tables.states.put(conversationId, { ...stateOf(context, conversationId), fullTold: true });
  return { ...refuse(context, refused, code, conversationId), tellBusy: true };
}

/** On turn, the pile may wait for a record that its first turn would make: nothing is said without one. */
function tell(
  context: StepContext,
  { arrival }: Refused,
  conversationId: string,
  state: ConversationState,
): void {
  if (context.settings.validation === "on-turn") findRecord(context, conversationId, state);
  const text = context.settings.busyText;
  say(context, busyOutbound(arrival, { id: context.newId(), conversationId, text }));
}
