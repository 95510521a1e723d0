import type { HistoryMessage } from "../../../model/history.ts";
import type { StepContext } from "../context.ts";

export function history(
  context: StepContext,
  { id, messagesMax, bytesMax }: { id: string; messagesMax: number; bytesMax?: number },
): HistoryMessage[] {
  return context.tables.history.messages(id, messagesMax, bytesMax ?? Number.MAX_SAFE_INTEGER);
}
