import { lacksRecord } from "../../../core/person.ts";
import { messagesOf } from "../../../core/staged.ts";
import type { ConversationState } from "../../../core/state.ts";
import { arm, dueAtMsIn, type StepContext } from "../context.ts";
import { resolve } from "./find-conversation.ts";

/**
 * On-turn messages find their record now. They wait under the id that it has or will have. If that
 * conversation was completed meanwhile, they move to the next one, so that its turns run under its own lease.
 */
export function findRecord(context: StepContext, id: string, state: ConversationState): void {
  const { tables } = context;
  if (!lacksRecord(state, tables.conversations.get(id))) return;
  const rows = messagesOf(tables.staged.all(id));
  if (rows.length === 0) return;
  const messages = rows.map(({ message }) => message);
  const record = resolve(context, id, messages);
  if (record === undefined || record.id === id) return;
  tables.staged.remove(
    id,
    rows.map((row) => row.id),
  );
  for (const row of rows) tables.staged.add({ ...row, conversationId: record.id });
  arm(context, record.id, dueAtMsIn(context, record.id));
}
