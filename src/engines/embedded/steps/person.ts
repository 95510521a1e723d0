import { erasedFrom, erasureOf, type NamedKey, personIn } from "../../../core/erased-person.ts";
import { conversationKey } from "../../../core/identity.ts";
import { bearerOf } from "../../../core/named-person.ts";
import { namesOf } from "../../../core/names.ts";
import { messagesOf } from "../../../core/staged.ts";
import type { ConversationKey } from "../../../model/conversation.ts";
import type { PersonAt } from "../../../model/kept.ts";
import type { Arrival } from "../../../model/message.ts";
import type { NameRecord } from "../../../model/names.ts";
import type { StepContext } from "../context.ts";
import { nextId } from "./find-conversation.ts";
import { nameAt } from "./on-turn.ts";

/** A person as our rows know them: under which names, and in which conversations they may be found. */
export interface PersonRows {
  readonly keys: readonly ConversationKey[];
  readonly names: readonly string[];
  readonly ids: readonly string[];
  /** What is kept of these names at these keys. */
  readonly records: readonly (readonly [name: string, record: NameRecord])[];
  /** Removes the person from the name records; done last. */
  readonly forgets: readonly (() => void)[];
}

/** The person of this conversation. It comes last: an erasure that was cut short is asked for by it. */
export function personOf(context: StepContext, id: string): PersonRows {
  const known = context.tables.conversations.get(id);
  const named = known ? [known] : namedWithout(context, id);
  const person = together(named.map((key) => everythingOf(context, key)));
  return { ...person, ids: [...person.ids.filter((each) => each !== id), id] };
}

type At = Pick<PersonAt, "channelType" | "address">;

/** The person who has this name at this address of ours, and who else has had it. */
export function personNamed(
  context: StepContext,
  { channelType, address }: At,
  name: string,
): PersonRows & { readonly others: readonly string[] } {
  const { tables } = context;
  const key = { channelType, address, sender: name };
  const records = tables.names.records(key, [name]);
  const { starts, others } = bearerOf(name, tables.conversations.named(key, [name]), records);
  const person = together(starts.map((start) => everythingOf(context, { ...key, ...start })));
  const names = new Set(person.records.map(([each]) => each));
  const left = others.filter((other) => !names.has(other) && !person.names.includes(other));
  return { ...person, ids: person.ids.filter((id) => isThere(context, id)), others: left };
}

/** Several people, or one under several names, as one. */
export function together(people: readonly PersonRows[]): PersonRows {
  return {
    keys: people.flatMap(({ keys }) => keys),
    names: [...new Set(people.flatMap(({ names }) => names))],
    ids: [...new Set(people.flatMap(({ ids }) => ids))],
    records: [...new Map(people.flatMap(({ records }) => records))],
    forgets: people.flatMap(({ forgets }) => forgets),
  };
}

/** The place of a next conversation is only reckoned: mostly nothing waits there. */
function isThere({ tables }: StepContext, id: string): boolean {
  return (
    tables.conversations.get(id) !== undefined ||
    tables.staged.count(id) > 0 ||
    tables.deadLetters.of(id).length > 0
  );
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
  return { keys: [key], names: person.names, ids, records: [...records], forgets };
}
