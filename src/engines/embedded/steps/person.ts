import { erasedFrom, erasureOf, type NamedKey, personIn } from "../../../core/erased-person.ts";
import { conversationKey } from "../../../core/identity.ts";
import { namesOf } from "../../../core/names.ts";
import { messagesOf } from "../../../core/staged.ts";
import type { ConversationKey } from "../../../model/conversation.ts";
import type { Arrival } from "../../../model/message.ts";
import type { StepContext } from "../context.ts";
import { nextId } from "./find-conversation.ts";
import { nameAt } from "./on-turn.ts";

/** A person as our rows know them: under which names, and in which conversations they may be found. */
interface PersonRows {
  readonly keys: readonly ConversationKey[];
  readonly names: readonly string[];
  readonly ids: readonly string[];
  /** Removes the person from the name records; done last. */
  readonly forgets: readonly (() => void)[];
}

/** The person of this conversation. */
export function personOf(context: StepContext, id: string): PersonRows {
  const known = context.tables.conversations.get(id);
  const named = known ? [known] : namedWithout(context, id);
  const people = named.map((key) => everythingOf(context, key));
  return {
    keys: named,
    names: [...new Set(people.flatMap(({ names }) => names))],
    ids: [...new Set([id, ...people.flatMap(({ ids }) => ids)])],
    forgets: people.flatMap(({ forgets }) => forgets),
  };
}

/** Senders to a conversation that has no record: it was never created, or was removed. */
function namedWithout(context: StepContext, id: string): NamedKey[] {
  const letters = context.tables.deadLetters.of(id).flatMap(({ rows }) => rows);
  const rows = messagesOf([...context.tables.staged.all(id), ...letters]);
  return rows.map(({ message }) => namedIn(context, id, message));
}

/** The owner of a bare number when its message was staged: the person at whose place it waits. */
function namedIn(context: StepContext, id: string, arrival: Arrival): NamedKey {
  const senderAlias = arrival.senderAlias ?? nameAt(context, id, [arrival]);
  return { ...conversationKey(context.settings, arrival), senderAlias, id };
}

/** One name leads to conversations, and each of them may know another name. */
function everythingOf(
  context: StepContext,
  key: NamedKey,
  names: readonly string[] = namesOf(key),
): PersonRows {
  const { tables } = context;
  const records = tables.names.records(key, names);
  const person = personIn([key], tables.conversations.named(key, names), records);
  const known = new Set([...names, ...person.mentions]);
  if (known.size > names.length) return everythingOf(context, key, [...known]);
  const waiting = person.waitsUnder.map((sender) => nextId(context, { ...key, sender }));
  const { ids, erased } = erasureOf(key, person, waiting);
  const forgets = [...records].map(([name, record]) => () => {
    tables.names.put(key, name, erasedFrom(name, record, erased));
  });
  return { keys: [key], names: person.names, ids, forgets };
}
