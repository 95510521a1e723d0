import { afterLeaving, withoutLetter } from "../../../core/running-turn.ts";
import type { ConversationState } from "../../../core/state.ts";
import type { LetterContent } from "../../../model/dead-letter.ts";
import { changeRecord, keepRemembered, type StepContext, saveState } from "../context.ts";

/**
 * Moves exactly these messages to a dead letter and remembers them as dead; newer ones stay staged.
 * `after` is the state without the work; its draft moves along if it was this turn's.
 */
export function deadLetter(
  context: StepContext,
  conversationId: string,
  content: LetterContent,
  after: ConversationState,
): string {
  const rows = context.tables.staged.of(conversationId, content.messageIds);
  const { draft, after: left } = withoutLetter(after, content);
  const id = context.newId();
  context.tables.deadLetters.put({
    id,
    conversationId,
    reason: content.reason,
    attempts: content.attempts,
    rows,
    ...(draft && { draft }),
    atMs: context.nowMs,
  });
  context.tables.staged.remove(
    conversationId,
    rows.map((row) => row.id),
  );
  keepRemembered(context, rows);
  changeRecord(context, conversationId, { status: "processing_error" });
  saveState(context, conversationId, afterLeaving(left, rows));
  return id;
}
