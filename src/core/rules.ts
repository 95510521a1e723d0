import type { Conversation } from "../model/conversation.ts";
import type { RefusalCode } from "../model/refusal.ts";
import type { Choices } from "../model/settings.ts";
import { isRunning } from "./lease.ts";
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
export function isBusy({ lease, draft }: ConversationState, nowMs: number, clockSkewMs: number): boolean {
  return isRunning(lease, nowMs, clockSkewMs) || draft?.awaitingUntilAtMs !== undefined;
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
