import type { ConversationState } from "../../../core/state.ts";
import type { Draft } from "../../../model/draft.ts";
import { type StepContext, saveState } from "../context.ts";

export interface DeadLettered {
  readonly messageIds: readonly string[];
  readonly turnId: string | undefined;
  readonly attempts: number;
  readonly reason: string;
  readonly draft?: Draft | undefined;
}

/**
 * Moves exactly these messages to a dead letter and remembers them as dead; newer ones stay staged.
 * `after` is the state without the work; its draft goes along if it was this turn's.
 */
export function deadLetter(
  step: StepContext,
  conversationId: string,
  burial: DeadLettered,
  after: ConversationState,
): string {
  const rows = step.tables.staged.of(conversationId, burial.messageIds);
  const stored = after.draft?.turnId === burial.turnId ? after.draft : undefined;
  const draft = burial.draft ?? stored;
  const id = step.newId();
  step.tables.deadLetters.put({
    id,
    conversationId,
    reason: burial.reason,
    attempts: burial.attempts,
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
