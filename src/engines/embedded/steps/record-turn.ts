import { type FinishedTurn, recordOf, spokenIn, statusAfter, unknownSendsOf } from "../../../core/turn.ts";
import type { Commit } from "../../../model/commit.ts";
import type { Conversation } from "../../../model/conversation.ts";
import type { StepContext } from "../context.ts";

/** Both sides of the turn, how it went, the conversation's new status, and sends whose outcome is unknown. */
export function recordTurn(context: StepContext, finished: FinishedTurn): void {
  const { tables, nowMs } = context;
  const { recordId } = finished.work;
  const conversation = tables.conversations.get(recordId);
  // Not erased, which would have changed the token, but removed by hand: the turn is still recorded.
  if (conversation) tables.conversations.put(afterTurn(conversation, finished.commit, nowMs));
  tables.history.appendMessages(recordId, spokenIn(finished));
  tables.history.appendTurn(recordOf(finished));
  for (const unknown of unknownSendsOf(finished)) tables.unknownSends.put(unknown);
}

function afterTurn(conversation: Conversation, commit: Commit, nowMs: number): Conversation {
  const { usage, handOff } = commit;
  return {
    ...conversation,
    status: statusAfter(commit) ?? conversation.status,
    taskComplete: commit.complete ?? conversation.taskComplete,
    handedOff: conversation.handedOff || handOff !== undefined,
    ...(handOff !== undefined && { handOffReason: handOff }),
    promptTokens: conversation.promptTokens + (usage?.promptTokens ?? 0),
    completionTokens: conversation.completionTokens + (usage?.completionTokens ?? 0),
    totalTokens: conversation.totalTokens + (usage?.totalTokens ?? 0),
    updatedAtMs: nowMs,
  };
}
