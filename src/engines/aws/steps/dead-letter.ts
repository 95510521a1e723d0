import { idWithin } from "../../../core/identity.ts";
import { withoutLetter } from "../../../core/running-turn.ts";
import type { ConversationState } from "../../../core/state.ts";
import type { LetterContent } from "../../../model/dead-letter.ts";
import type { AwsContext } from "../context.ts";
import { type Item, present } from "../dynamo/expression.ts";
import type { Action, Transacted } from "../dynamo/store.ts";
import { changeOf, rowKey } from "../items/conversation-item.ts";
import { movable } from "../items/item-size.ts";
import { transactionToken } from "../items/keys.ts";
import { letterItem, letterRowKey } from "../items/letter-item.ts";
import { seenItem } from "../items/seen.ts";
import { type StageRow, stageItem } from "../items/stage-item.ts";
import { stageKey } from "../items/staged.ts";
import { type Changed, savedAs } from "../items/state.ts";
import { type Stored, storedFrom } from "../items/state-item.ts";
import { NO_STATUS_NOTE } from "./status.ts";
import { transactWithRow } from "./with-row.ts";

export type DeadLetterWrite =
  | { readonly kind: "dead-lettered"; readonly deadLetterId: string; readonly stored: Stored }
  | Changed;

/**
 * Moves exactly these messages to a dead letter and remembers them as dead, in one write; newer ones stay
 * staged. `after` is the state without the work; its draft moves along if it was this turn's.
 */
export async function deadLetter(
  context: AwsContext,
  { stored, rows }: { readonly stored: Stored; readonly rows: readonly StageRow[] },
  content: LetterContent,
  after: ConversationState,
): Promise<DeadLetterWrite> {
  const wanted = rows.filter(({ id }) => content.messageIds.includes(id));
  const deadLettered = movable(wanted, context.settings.batchMessagesMax);
  const { draft, after: left } = withoutLetter(after, content);
  const letter = {
    id: idWithin(stored.id, context.newId()),
    reason: content.reason,
    attempts: content.attempts,
    draft,
  };
  const saved = savedAs(context, stored, left, NO_STATUS_NOTE);
  const actions = [
    saved.action,
    ...deadLettered.flatMap((row) => moved(context, row, letter.id)),
    put(letterItem(context, stored.id, letter)),
  ];
  const note = errorNote(context, stored, deadLettered);
  const token = transactionToken("dead-letter", letter.id);
  const transacted = await writeWith(context, stored.id, actions, note, token);
  const standing = transacted.kind === "refused" ? transacted.by.get(0) : undefined;
  if (transacted.kind === "refused" && standing?.rev !== saved.stored.rev) {
    return { kind: "changed", stored: storedFrom(stored.id, standing) };
  }
  const done = { ...saved.stored, statusBefore: undefined, saysError: false };
  return { kind: "dead-lettered", deadLetterId: letter.id, stored: done };
}

/** If the conversation's row is gone, or has no room for the note, the letter is written all the same. */
async function writeWith(
  context: AwsContext,
  conversation: string,
  actions: readonly Action[],
  row: Action | undefined,
  token: string,
): Promise<Transacted> {
  const written = row && (await transactWithRow(context, conversation, { actions, row, token }));
  if (written && written.kind !== "alone") return written;
  return context.store.transact(actions, transactionToken(token, "without a row"));
}

function moved(context: AwsContext, row: StageRow, letterId: string): Action[] {
  return [
    { kind: "delete", table: "stage", key: stageKey(row.conversationId, row.id) },
    { kind: "put", table: "seen", item: seenItem(context, row.id, "dead") },
    put({ ...letterRowKey(row.conversationId, letterId, row.id), row: stageItem(row) }),
  ];
}

function put(item: Item): Action {
  return { kind: "put", table: "messages", item };
}

function errorNote(context: AwsContext, stored: Stored, rows: readonly StageRow[]): Action | undefined {
  const sender = rows[0]?.sender || stored.sender;
  if (!sender) return undefined;
  return {
    kind: "update",
    table: "conversations",
    key: rowKey(sender, stored.id),
    change: { set: changeOf({ status: "processing_error" }, context.clock.nowMs()) },
    condition: present("conversation_id"),
  };
}
