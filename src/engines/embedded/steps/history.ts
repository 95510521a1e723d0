import { latestWithin, storedSizes } from "../../../core/history.ts";
import { deadLetterOf } from "../../../core/staged.ts";
import { UNANSWERED_MAX, withUnanswered } from "../../../core/unanswered.ts";
import type { DeadLetter } from "../../../model/dead-letter.ts";
import type { HistoryMessage } from "../../../model/history.ts";
import type { StepContext } from "../context.ts";

interface Wanted {
  readonly messagesMax: number;
  readonly bytesMax: number;
}

export function history(
  context: StepContext,
  {
    id,
    messagesMax,
    bytesMax = Number.MAX_SAFE_INTEGER,
  }: { id: string; messagesMax: number; bytesMax?: number },
): HistoryMessage[] {
  const said = context.tables.history.messages(id, messagesMax, bytesMax);
  const letters = lettersIn(context, id, { messagesMax, bytesMax });
  if (letters.length === 0) return said;
  return latestWithin(lastOf(withUnanswered(said, letters), messagesMax), bytesMax);
}

/** The same of what a take has read: all of the latest, or nothing where that is long. */
export function shortHistory(
  context: StepContext,
  id: string,
  said: HistoryMessage[],
  wanted: Wanted,
): HistoryMessage[] | undefined {
  const letters = lettersIn(context, id, wanted);
  if (letters.length === 0) return said;
  const all = lastOf(withUnanswered(said, letters), wanted.messagesMax);
  const bytes = storedSizes(all, (message) => message).reduce((sum, size) => sum + size, 0);
  return bytes <= wanted.bytesMax ? all : undefined;
}

function lettersIn({ tables }: StepContext, id: string, { messagesMax, bytesMax }: Wanted): DeadLetter[] {
  const max = Math.min(UNANSWERED_MAX, messagesMax);
  return tables.deadLetters.latest(id, max, bytesMax).map(({ rows, ...head }) => deadLetterOf(head, rows));
}

function lastOf<T>(all: readonly T[], max: number): T[] {
  return all.slice(Math.max(0, all.length - max));
}
