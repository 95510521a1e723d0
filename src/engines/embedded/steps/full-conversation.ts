import { busyOutbound } from "../../../core/notices.ts";
import { isFull, stillFull } from "../../../core/pile.ts";
import { settingsFor } from "../../../core/projects.ts";
import type { ConversationState } from "../../../core/state.ts";
import type { Arrival } from "../../../model/message.ts";
import type { StageOutcome } from "../../../ports/engine.ts";
import { type StepContext, stateOf } from "../context.ts";
import type { PileEnd } from "../tables.ts";
import { say } from "./conversations.ts";
import { findRecord } from "./on-turn.ts";
import { type Receipt, refuse } from "./refuse.ts";

type Room =
  | { readonly kind: "room"; readonly end?: PileEnd }
  | { readonly kind: "full" }
  /** The message itself: it has been waiting for so long that it was forgotten. */
  | { readonly kind: "waits" };

/** Without a window or a lease nothing waits; and a pile is counted only if that can make a difference. */
export function roomFor(
  { tables: { staged }, settings, nowMs }: StepContext,
  conversationId: string,
  { window, lease }: ConversationState,
  message: Pick<Arrival, "channel"> & { readonly id: string; readonly bytes: number },
): Room {
  if (!window && !lease) return { kind: "room" };
  const end = staged.end(conversationId);
  const isYoung = end.sinceAtMs > nowMs - settings.dedupeMs;
  const limits = settingsFor(settings, message.channel);
  if (isYoung && !isFull(end, limits, message.bytes)) return { kind: "room", end };
  const pile = staged.pile(conversationId, message.id);
  if (pile.holds) return { kind: "waits" };
  return isFull(pile, limits, message.bytes) ? { kind: "full" } : { kind: "room", end };
}

/**
 * One record and one busy text for all messages that come while it is full: refusals are a pile, too. The
 * text is staged with the note, in one step: a customer who was not told is told by the next message.
 */
export function refuseMore(
  context: StepContext,
  refused: Receipt,
  conversationId: string,
  state: ConversationState,
): StageOutcome {
  const more = stillFull(conversationId);
  if (state.fullTold) return more;
  const fullTold = tell(context, refused, conversationId, state);
  context.tables.states.put(conversationId, { ...stateOf(context, conversationId), fullTold });
  const isFirst = state.fullTold === undefined;
  return isFirst ? { ...refuse(context, refused, more.code, conversationId), tellBusy: true } : more;
}

/** On turn, the pile may wait for a record that does not exist yet: nothing is said without one. */
function tell(
  context: StepContext,
  { arrival }: Receipt,
  conversationId: string,
  state: ConversationState,
): boolean {
  if (context.settings.validation === "on-turn") findRecord(context, conversationId, state);
  const { busyText: text } = settingsFor(context.settings, arrival.channel);
  const outbound = busyOutbound(arrival, { id: context.newId(), conversationId, text });
  return say(context, outbound) !== "not-found";
}
