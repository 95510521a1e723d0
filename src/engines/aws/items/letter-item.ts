import type { Sound } from "../../../core/shape.ts";
import { soundLetter } from "../../../core/sound-records.ts";
import { deadLetterOf, inArrivalOrder } from "../../../core/staged.ts";
import type { DeadLetter, LetterHead } from "../../../model/dead-letter.ts";
import type { Draft } from "../../../model/draft.ts";
import { inParallel } from "../../../wire/in-parallel.ts";
import type { AwsContext } from "../context.ts";
import { all, beginsWith, equal, type Item } from "../dynamo/expression.ts";
import { isSortKey } from "../dynamo/key-size.ts";
import { digest, inTime } from "./keys.ts";
import { type StageRow, stagedFrom } from "./stage-item.ts";

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

export function letterItem(
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
export function letterRowsFrom({ quarantine }: AwsContext, items: readonly Item[]): StageRow[] {
  return inArrivalOrder(quarantine.sound("messages", items, ({ row }) => stagedFrom(row)));
}

/** Those of a conversation are read a few at a time: there may be a page of them. */
const LETTERS_WIDTH = 8;

export function wholeLetters(context: AwsContext, heads: readonly LetterHead[]): Promise<DeadLetter[]> {
  return inParallel(heads, LETTERS_WIDTH, (head) => wholeLetter(context, head));
}

export async function wholeLetter(context: AwsContext, head: LetterHead): Promise<DeadLetter> {
  const ofConversation = equal("conversation_id", head.conversationId);
  const ofLetter = beginsWith("item_id", letterRowPrefix(head.id));
  const rows = await context.store.query("messages", { key: all(ofConversation, ofLetter) });
  return deadLetterOf(head, letterRowsFrom(context, rows));
}
