import { providerIdsOf, saidText } from "../../core/draft.ts";
import type { Work } from "../../core/state.ts";
import type {
  Conversation,
  ConversationStatus,
  HistoryMessage,
  MessagePart,
} from "../../ports/conversations.ts";
import type { Draft } from "../../ports/draft.ts";
import type { Commit } from "../../ports/engine.ts";
import { messagesOf, type Step } from "./step.ts";
import type { StagedRow } from "./tables.ts";

/** What a commit records. */
export interface CommittedTurn {
  readonly work: Work;
  readonly what: Commit;
  /** The draft as it went out. */
  readonly final: Draft | undefined;
  readonly batch: readonly StagedRow[];
}

/** Both sides of the turn, how it went, the conversation's new status, and sends that nobody can vouch for. */
export function recordTurn(step: Step, committed: CommittedTurn): void {
  const { work, what, final, batch } = committed;
  const { tables, nowMs } = step;
  const messages = messagesOf(batch);
  const conversation = tables.conversation(work.recordId);
  // Erased while its turn ran is not possible (the token changed); removed by hand is: the turn is still recorded.
  if (conversation) tables.putConversation(afterTurn(conversation, what, nowMs));
  tables.appendMessages(work.recordId, spoken(committed, nowMs));
  tables.appendTurn({
    turnId: work.turnId,
    conversationId: work.recordId,
    outcome: what.outcome,
    channel: final?.channel ?? messages.at(-1)?.message.channel ?? "",
    messageIds: messages.map(({ id }) => id),
    providerIds: final ? providerIdsOf(final) : [],
    attempts: work.attempts,
    restarts: work.restarts,
    ...(what.usage && { usage: what.usage }),
    openedAtMs: work.openedAtMs,
    dueAtMs: work.dueAtMs,
    takenAtMs: work.takenAtMs,
    ...(what.answerStartedAtMs !== undefined && { answerStartedAtMs: what.answerStartedAtMs }),
    ...(what.answeredAtMs !== undefined && { answeredAtMs: what.answeredAtMs }),
    ...(what.sentAtMs !== undefined && { sentAtMs: what.sentAtMs }),
    committedAtMs: nowMs,
  });
  if (final) recordUnknown(step, work.recordId, final);
}

function spoken({ work, what, final, batch }: CommittedTurn, nowMs: number): HistoryMessage[] {
  const { turnId } = work;
  const said = final ? saidText(final) : "";
  const messages: HistoryMessage[] = [];
  if (what.userText !== undefined) {
    messages.push({
      role: "user",
      text: what.userText,
      media: what.userMedia ?? [],
      atMs: work.openedAtMs,
      turnId,
      parts: partsOf(work, batch),
    });
  }
  if (said !== "") {
    const author = final?.author === undefined ? {} : { author: final.author };
    messages.push({
      role: "assistant",
      text: said,
      media: [],
      atMs: what.sentAtMs ?? nowMs,
      turnId,
      ...author,
    });
  }
  return messages;
}

/** In the order of the batch, which is not always that of staging. */
function partsOf(work: Work, batch: readonly StagedRow[]): MessagePart[] {
  const byId = new Map(messagesOf(batch).map(({ id, message }) => [id, message]));
  return work.batchIds.flatMap((id) => {
    const message = byId.get(id);
    if (!message) return [];
    const { text, media, arrivedAtMs, sentAtMs } = message;
    return [{ id, text, media, arrivedAtMs, ...(sentAtMs !== undefined && { sentAtMs }) }];
  });
}

function recordUnknown(step: Step, conversationId: string, final: Draft): void {
  const { turnId, channel, to } = final;
  final.chunks.forEach(({ state, text }, chunk) => {
    if (state.kind !== "unknown") return;
    const id = `${turnId}.${chunk}`;
    step.tables.putUnknown({ id, conversationId, turnId, chunk, channel, to, text, atMs: step.nowMs });
  });
}

function afterTurn(conversation: Conversation, what: Commit, nowMs: number): Conversation {
  const usage = what.usage;
  return {
    ...conversation,
    status: statusAfter(conversation, what),
    taskComplete: what.complete ?? conversation.taskComplete,
    handedOff: conversation.handedOff || what.handOff !== undefined,
    ...(what.handOff !== undefined && { handOffReason: what.handOff }),
    promptTokens: conversation.promptTokens + (usage?.promptTokens ?? 0),
    completionTokens: conversation.completionTokens + (usage?.completionTokens ?? 0),
    totalTokens: conversation.totalTokens + (usage?.totalTokens ?? 0),
    updatedAtMs: nowMs,
  };
}

function statusAfter(conversation: Conversation, what: Commit): ConversationStatus {
  if (what.outcome === "handed-off" || what.handOff !== undefined) return "awaiting_agent";
  return what.outcome === "replied" || what.outcome === "unknown" ? "reply_sent" : conversation.status;
}
