import { namesOf } from "../../../core/names.ts";
import type { Conversation } from "../../../model/conversation.ts";
import type { NameRecord } from "../../../model/names.ts";
import type { TurnRecord } from "../../../model/turn.ts";
import type { KeptConversation } from "../../../ports/engine.ts";
import type { AwsContext } from "../context.ts";
import { isAsRead } from "../dynamo/exact.ts";
import { absent, type Item } from "../dynamo/expression.ts";
import { importedRow, isAsImported, rowKey } from "../items/conversation-item.ts";
import { rememberSender } from "../items/conversation-row.ts";
import { importName } from "../items/name-item.ts";
import { seenItem } from "../items/seen.ts";
import { turnItems } from "../items/turn-item.ts";

/**
 * Imports a conversation that another engine stored: its record, its history, its turns, and which messages
 * were answered. Everything gets the key that it would have here, so a repeated import changes nothing, and
 * it sorts by its own time among what was said here meanwhile.
 */
export async function importConversation(
  context: AwsContext,
  { conversation, messages, turns, names }: KeptConversation,
): Promise<void> {
  const { retentionMs, dedupeMs } = context.settings;
  const { id } = conversation;
  for (const [name, record] of new Map([...borneBy(conversation), ...names]))
    await importName(context, conversation, name, record);
  await importRecord(context, conversation);
  const records = new Map(turns.map((turn) => [turn.turnId, turn]));
  const byTurn = Map.groupBy(messages, ({ turnId }) => turnId);
  const items = [...new Set([...records.keys(), ...byTurn.keys()])].flatMap((turnId) => {
    const record = records.get(turnId);
    const said = byTurn.get(turnId) ?? [];
    // Without a record: when the last of it was said.
    const atMs = record?.committedAtMs ?? said.at(-1)?.atMs ?? 0;
    return turnItems({ conversationId: id, turnId, said, record }, { atMs, retentionMs });
  });
  await context.store.writeMany("messages", { put: items });
  const recent = turns.filter((turn) => turn.committedAtMs > context.clock.nowMs() - dedupeMs);
  await context.store.writeMany("seen", { put: answered(context, recent) });
}

/** Older files have only the names that a conversation bears. */
function borneBy(conversation: Conversation): Map<string, NameRecord> {
  const [name, other] = namesOf(conversation);
  if (name === undefined || other === undefined) return new Map();
  return new Map([
    [name, { cameWith: [other] }],
    [other, { cameWith: [name] }],
  ]);
}

function answered(context: AwsContext, turns: readonly TurnRecord[]): Item[] {
  const ids = new Set(turns.flatMap(({ messageIds }) => messageIds));
  return [...ids].map((id) => seenItem(context, id, "committed"));
}

/** Imports the record, unless it was changed here since: then it stays, and only the history is imported. */
async function importRecord(context: AwsContext, conversation: Conversation): Promise<void> {
  await rememberSender(context, conversation.id, conversation.sender);
  const standing = await context.store.get("conversations", rowKey(conversation.sender, conversation.id));
  if (standing && !isAsImported(standing)) return;
  const isUntouched = standing ? isAsRead(standing, "updated_at") : absent("conversation_id");
  await context.store.put("conversations", importedRow(conversation), isUntouched);
}
