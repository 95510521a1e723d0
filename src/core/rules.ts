import type { Conversation } from "../model/conversation.ts";
import type { RefusalCode } from "../model/refusal.ts";
import type { Choices, Settings } from "../model/settings.ts";
import { isHonouredOnReceipt } from "./elsewhere.ts";
import { isRunning } from "./lease.ts";
import { runningTurnId } from "./running-turn.ts";
import type { ConversationState } from "./state.ts";

export type ReceiptDecision =
  | { readonly kind: "accept" }
  | { readonly kind: "create" }
  | { readonly kind: "refuse"; readonly code: RefusalCode };

/** Rules that a conversation's own record sets: may this channel type be used in it now? */
export function ruleAgainst(
  conversation: Pick<Conversation, "projectStatus" | "allowedChannels">,
  channelType: string,
): RefusalCode | undefined {
  if (conversation.projectStatus !== "active") return "PROJECT_INACTIVE";
  if (conversation.allowedChannels && !conversation.allowedChannels.includes(channelType))
    return "CHANNEL_NOT_ALLOWED";
  return undefined;
}

/** Whether a turn runs, or waits for a late answer: while it does, `reject` refuses what comes in. */
function isBusy({ lease, draft }: ConversationState, nowMs: number, clockSkewMs: number): boolean {
  return isRunning(lease, nowMs, clockSkewMs) || draft?.awaitingUntilAtMs !== undefined;
}

/**
 * What a conversation is busy with, by a name that tells it from the next: the turn that runs, or another
 * system's as far as the record tells. `isElsewhere`: the record says that it is being processed, and that
 * was not written by us.
 */
export function busyWith(
  conversation: Pick<Conversation, "updatedAtMs"> & { readonly isElsewhere: boolean },
  state: ConversationState,
  nowMs: number,
  settings: Settings,
): string | undefined {
  if (isBusy(state, nowMs, settings.clockSkewMs)) return runningTurnId(state);
  const isHonoured = conversation.isElsewhere && isHonouredOnReceipt(conversation, state, nowMs, settings);
  return isHonoured ? `elsewhere-${conversation.updatedAtMs}` : undefined;
}

/** Whether an arriving message may be staged, and whether its conversation has to be made first. */
export function decideReceipt(
  conversation: Conversation | undefined,
  busy: boolean,
  channelType: string,
  policy: Pick<Choices, "admission" | "whileBusy">,
): ReceiptDecision {
  if (conversation === undefined) {
    return policy.admission === "open"
      ? { kind: "create" }
      : { kind: "refuse", code: "CONVERSATION_NOT_FOUND" };
  }
  const code = ruleAgainst(conversation, channelType);
  if (code !== undefined) return { kind: "refuse", code };
  if (policy.whileBusy === "reject" && busy) return { kind: "refuse", code: "CONVERSATION_LOCKED" };
  return { kind: "accept" };
}

export type AnswerDecision =
  | { readonly kind: "answer" }
  | { readonly kind: "hand-off" }
  | { readonly kind: "refuse"; readonly code: RefusalCode };

/** The rules once more when the turn starts: minutes may have passed since the message was received. */
export function decideAnswer(conversation: Conversation, channelType: string): AnswerDecision {
  const code = ruleAgainst(conversation, channelType);
  if (code !== undefined) return { kind: "refuse", code };
  return conversation.handedOff ? { kind: "hand-off" } : { kind: "answer" };
}
