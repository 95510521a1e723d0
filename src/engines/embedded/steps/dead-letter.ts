import type { ConversationState } from "../../../core/state.ts";
import type { LetterContent } from "../../../model/dead-letter.ts";
import { type StepContext, saveState } from "../context.ts";

/**
 * Moves exactly these messages to a dead letter and remembers them as dead; newer ones stay staged.
 * `after` is the state without the work; its draft moves along if it was this turn's.
 */
export function deadLetter(
  step: StepContext,
  conversationId: string,
  content: LetterContent,
  after: ConversationState,
): string {
  const rows = step.tables.staged.of(conversationId, content.messageIds);
  const stored = after.draft?.turnId === content.turnId ? after.draft : undefined;
  const draft = content.draft ?? stored;
  const id = step.newId();
  step.tables.deadLetters.put({
    id,
    conversationId,
    reason: content.reason,
    attempts: content.attempts,
    rows,
    ...(draft && { draft }),
    atMs: step.nowMs,
  });
  const ids = rows.map((row) => row.id);
  step.tables.staged.remove(conversationId, ids);
  step.tables.remembered.add(ids, "dead", step.nowMs + step.settings.dedupeMs);
  markError(step, conversationId);
  const free = { ...after, fullTold: undefined };
  saveState(step, conversationId, stored ? { ...free, draft: undefined } : free);
  return id;
}

function markError(step: StepContext, conversationId: string): void {
  const conversation = step.tables.conversations.get(conversationId);
  if (!conversation) return;
  step.tables.conversations.put({ ...conversation, status: "processing_error", updatedAtMs: step.nowMs });
}
