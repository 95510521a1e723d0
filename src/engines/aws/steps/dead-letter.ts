import { withoutLetter } from "../../../core/running-turn.ts";
import type { Sound } from "../../../core/shape.ts";
import { soundLetter } from "../../../core/sound-records.ts";
import { inArrivalOrder } from "../../../core/staged.ts";
import type { ConversationState } from "../../../core/state.ts";
import type { LetterContent, LetterHead } from "../../../model/dead-letter.ts";
import type { Draft } from "../../../model/draft.ts";
import { ImpossibleWrite } from "../../../wire/aws-failure.ts";
import type { AwsContext } from "../context.ts";
import { type Item, present } from "../dynamo/expression.ts";
import type { Action, Transacted } from "../dynamo/store.ts";
import { changeOf, rowKey } from "../items/conversation-item.ts";
import { isSortKey, movable } from "../items/item-size.ts";
import { conversationKeyOf, digest, idWithin, inTime, transactionToken } from "../items/keys.ts";
import { seenItem } from "../items/seen.ts";
import { type StagedRow, stagedFrom, stageItem } from "../items/stage-item.ts";
import { stageKey } from "../items/staged.ts";
import { isUnchanged, savedAs } from "../items/state.ts";
import { type Stored, storedFrom } from "../items/state-item.ts";

export type DeadLetterWrite =
  | { readonly kind: "dead-lettered"; readonly deadLetterId: string; readonly stored: Stored }
  /** Another process wrote in between: decide again on the row as it is now. */
  | { readonly kind: "changed"; readonly stored: Stored };

/**
 * Moves exactly these messages to a dead letter and remembers them as dead, in one write; newer ones stay
 * staged. `after` is the state without the work; its draft moves along if it was this turn's.
 */
export async function deadLetter(
  context: AwsContext,
  { stored, rows }: { readonly stored: Stored; readonly rows: readonly StagedRow[] },
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
  const saved = savedAs(context, stored, left);
  const state: Action = {
    kind: "update",
    table: "state",
    key: conversationKeyOf(stored.id),
    change: saved.change,
    condition: isUnchanged(stored),
  };
  const actions = [
    state,
    ...deadLettered.flatMap((row) => moved(context, row, letter.id)),
    put(letterItem(context, stored.id, letter)),
  ];
  const mark = markError(context, stored, deadLettered);
  const token = transactionToken("dead-letter", letter.id);
  const transacted = await transactWith(context, stored.id, actions, mark, token);
  const standing = transacted.kind === "refused" ? transacted.by.get(0) : undefined;
  if (transacted.kind === "refused" && standing?.rev !== saved.stored.rev) {
    return { kind: "changed", stored: storedFrom(stored.id, standing) };
  }
  return { kind: "dead-lettered", deadLetterId: letter.id, stored: saved.stored };
}

/** If the conversation's row is gone, or has no room for the mark, the letter is written all the same. */
async function transactWith(
  { store, log }: AwsContext,
  conversation: string,
  actions: readonly Action[],
  mark: Action | undefined,
  token: string,
): Promise<Transacted> {
  const alone = () => store.transact(actions, transactionToken(token, "without a row"));
  if (!mark) return alone();
  try {
    const transacted = await store.transact([...actions, mark], token);
    const isOnlyMark = transacted.kind === "refused" && !transacted.by.has(0);
    return isOnlyMark ? alone() : transacted;
  } catch (error) {
    if (!(error instanceof ImpossibleWrite)) throw error;
    log("error", "conversation.not-updated", {
      conversation,
      lacks: "conversation_status",
      reason: error.message,
    });
    return alone();
  }
}

function moved(context: AwsContext, row: StagedRow, letterId: string): Action[] {
  return [
    { kind: "delete", table: "stage", key: stageKey(row.conversationId, row.id) },
    { kind: "put", table: "seen", item: seenItem(context, row.id, "dead") },
    put({ ...letterRowKey(row.conversationId, letterId, row.id), row: stageItem(row) }),
  ];
}

function put(item: Item): Action {
  return { kind: "put", table: "messages", item };
}

function markError(context: AwsContext, stored: Stored, rows: readonly StagedRow[]): Action | undefined {
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

export const LETTER = "d#";

/** A letter's head is listed; its messages are items of their own, since they might not fit into one. */
export function letterKey(conversationId: string, letterId: string): Item {
  return { conversation_id: conversationId, item_id: `${LETTER}${letterId}` };
}

/** The message's id, or a hash of it if that would make the key too long. */
export function letterRowKey(conversationId: string, letterId: string, messageId: string): Item {
  const named = `${letterRowPrefix(letterId)}${messageId}`;
  const item_id = isSortKey(named) ? named : `${letterRowPrefix(letterId)}${digest(messageId)}`;
  return { conversation_id: conversationId, item_id };
}

/** How the keys of all letters' messages begin. */
export const LETTER_ROW = "dm#";

export function letterRowPrefix(letterId: string): string {
  return `${LETTER_ROW}${letterId}#`;
}

function letterItem(
  context: AwsContext,
  conversationId: string,
  letter: Pick<LetterHead, "id" | "reason" | "attempts"> & { readonly draft: Draft | undefined },
): Item {
  const atMs = context.clock.nowMs();
  return {
    ...letterKey(conversationId, letter.id),
    listing: "dead",
    listed_at: `${inTime(atMs, context.nextSequence())}#${letter.id}`,
    letter_id: letter.id,
    reason: letter.reason,
    attempts: letter.attempts,
    draft: letter.draft,
    at_ms: atMs,
  };
}

/** Its head; the messages are read separately. */
export function letterFrom(item: Item): Sound<LetterHead> {
  const { letter_id: id, conversation_id: conversationId, reason, attempts, draft, at_ms: atMs } = item;
  return soundLetter({ id, conversationId, reason, attempts, draft, atMs });
}

/** The messages of a letter as they were staged. */
export function letterRowsFrom({ quarantine }: AwsContext, items: readonly Item[]): StagedRow[] {
  return inArrivalOrder(quarantine.sound("messages", items, ({ row }) => stagedFrom(row)));
}
