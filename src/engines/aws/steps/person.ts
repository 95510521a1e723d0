import { type Erased, erasureOf, type NamedKey, personIn } from "../../../core/erased-person.ts";
import { conversationKey } from "../../../core/identity.ts";
import { namesOf } from "../../../core/names.ts";
import { messagesOf } from "../../../core/staged.ts";
import type { ConversationKey } from "../../../model/conversation.ts";
import type { Arrival } from "../../../model/message.ts";
import type { AwsContext } from "../context.ts";
import { equal, type Item } from "../dynamo/expression.ts";
import { conversationFrom } from "../items/conversation-item.ts";
import { LETTER_ROW } from "../items/letter-item.ts";
import { recordsOf } from "../items/name-item.ts";
import { stagedFrom } from "../items/stage-item.ts";
import { latest, rowsOf } from "./find-conversation.ts";
import { nameAt } from "./on-turn.ts";

/** A person as our rows know them: under which keys, and in which conversations they may be found. */
export interface PersonRows {
  readonly keys: readonly ConversationKey[];
  readonly ids: readonly string[];
  /** Name records from which the erased names must be removed. */
  readonly kept: readonly {
    readonly key: ConversationKey;
    readonly names: readonly string[];
    readonly erased: Erased;
  }[];
}

/** The person of this conversation; `row` is its record, if there is one. */
export async function personOf(context: AwsContext, id: string, row: Item | undefined): Promise<PersonRows> {
  const named = row ? [conversationFrom(row)] : await namedWithout(context, id);
  return together(await Promise.all(named.map((key) => everythingOf(context, key))));
}

/** Several people, or one under several names, as one. */
export function together(people: readonly PersonRows[]): PersonRows {
  return {
    keys: people.flatMap(({ keys }) => keys),
    ids: [...new Set(people.flatMap(({ ids }) => ids))],
    kept: people.flatMap(({ kept }) => kept),
  };
}

/** Senders to a conversation that has no record: it was never created, or was removed. */
async function namedWithout(context: AwsContext, id: string): Promise<NamedKey[]> {
  const key = equal("conversation_id", id);
  const [staged, kept] = await Promise.all([
    context.store.query("stage", { key }),
    context.store.query("messages", { key }),
  ]);
  const deadLettered = kept.filter(({ item_id }) => String(item_id).startsWith(LETTER_ROW));
  const rows = [
    ...context.quarantine.sound("stage", staged, stagedFrom),
    ...context.quarantine.sound("messages", deadLettered, (item) => stagedFrom(item.row as Item)),
  ];
  return Promise.all(messagesOf(rows).map(({ message }) => namedIn(context, id, message)));
}

/** The owner of a bare number when its message was staged: the person at whose place it waits. */
async function namedIn(context: AwsContext, id: string, arrival: Arrival): Promise<NamedKey> {
  const senderAlias = arrival.senderAlias ?? (await nameAt(context, id, [arrival]));
  return { ...conversationKey(context.settings, arrival), senderAlias, id };
}

/** One name leads to conversations, and each of them may know another name. */
export async function everythingOf(
  context: AwsContext,
  key: NamedKey,
  names: readonly string[] = namesOf(key),
): Promise<PersonRows> {
  const [rows, records] = await Promise.all([
    rowsOf(context, key, names, { active: false }),
    recordsOf(context, key, names),
  ]);
  const person = personIn([key], rows.map(conversationFrom), records);
  const known = new Set([...names, ...person.mentions]);
  if (known.size > names.length) return everythingOf(context, key, [...known]);
  const waiting = person.waitsUnder.map((sender) => {
    const last = latest(context, { ...key, sender }, rows);
    return context.installation.conversationId({ ...key, sender }, last && String(last.conversation_id));
  });
  const { ids, erased } = erasureOf(key, person, waiting);
  // Also the names of the same kind that an older version stored.
  const aliases = [key, ...person.conversations].flatMap(({ senderAlias }) => senderAlias ?? []);
  const kept = [{ key, names: [...names, ...aliases], erased }];
  return { keys: person.names.map((sender) => ({ ...key, sender })), ids, kept };
}
