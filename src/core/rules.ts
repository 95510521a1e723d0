import type { Conversation } from "../model/conversation.ts";
import { ACTIVE, type ProjectRule } from "../model/project.ts";
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

/** What a project, or a conversation's own record, says against this type of channel. */
function ruleAgainst({ status, allowedChannels }: ProjectRule, channelType: string): RefusalCode | undefined {
  if (status !== ACTIVE) return "PROJECT_INACTIVE";
  if (allowedChannels && !allowedChannels.includes(channelType)) return "CHANNEL_NOT_ALLOWED";
  return undefined;
}

/** The project's rule counts for all of its conversations; the system that wrote a record may add its own. */
function refusalIn(
  conversation: Conversation,
  project: ProjectRule,
  channelType: string,
): RefusalCode | undefined {
  const { projectStatus: status, allowedChannels } = conversation;
  const own = { status, ...(allowedChannels && { allowedChannels }) };
  return ruleAgainst(project, channelType) ?? ruleAgainst(own, channelType);
}

/** Whether a turn runs, or waits for a late answer: while it does, `reject` refuses what comes in. */
export function isBusy({ lease, draft }: ConversationState, nowMs: number, clockSkewMs: number): boolean {
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
  project: ProjectRule,
  busy: boolean,
  channelType: string,
  policy: Pick<Choices, "admission" | "whileBusy">,
): ReceiptDecision {
  if (conversation === undefined && policy.admission !== "open")
    return { kind: "refuse", code: "CONVERSATION_NOT_FOUND" };
  const code = conversation
    ? refusalIn(conversation, project, channelType)
    : ruleAgainst(project, channelType);
  if (code !== undefined) return { kind: "refuse", code };
  if (conversation === undefined) return { kind: "create" };
  if (policy.whileBusy === "reject" && busy) return { kind: "refuse", code: "CONVERSATION_LOCKED" };
  return { kind: "accept" };
}

export type AnswerDecision =
  | { readonly kind: "answer" }
  | { readonly kind: "hand-off" }
  | { readonly kind: "refuse"; readonly code: RefusalCode };

/** The rules once more when the turn starts: minutes may have passed since the message was received. */
export function decideAnswer(
  conversation: Conversation,
  project: ProjectRule,
  channelType: string,
): AnswerDecision {
  const code = refusalIn(conversation, project, channelType);
  if (code !== undefined) return { kind: "refuse", code };
  return conversation.handedOff ? { kind: "hand-off" } : { kind: "answer" };
}
