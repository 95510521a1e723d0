import { erasedFrom, personIn } from "../../../core/erased-person.ts";
import { conversationKey } from "../../../core/identity.ts";
import { namesOf } from "../../../core/names.ts";
import { messagesOf } from "../../../core/staged.ts";
import type { ConversationKey } from "../../../model/conversation.ts";
import type { Arrival } from "../../../model/message.ts";
import type { Named } from "../../../model/names.ts";
import type { StepContext } from "../context.ts";
import { nameAt, nextId } from "./find-conversation.ts";

/** A person as our rows know them: under which names, and in which conversations they may be found. */
interface Person {
  readonly names: readonly string[];
  readonly ids: readonly string[];
  /** Removes the person from the name records; done last. */
  readonly forgets: readonly (() => void)[];
}

/**
 * Removes the person, not one conversation: earlier conversations, those under another name, refusals, and
 * messages that wait for a conversation that was never created. Ids of staged messages are remembered: a
 * redelivery must not bring an erased person back.
 */
export function erase(context: StepContext, id: string): "erased" | "not-found" {
  const { tables, nowMs, settings } = context;
  const { names, ids, forgets } = personOf(context, id);
  const staged = ids.flatMap((each) => messagesOf(tables.staged.all(each)));
  tables.remembered.add(
    staged.map((row) => row.id),
    "committed",
    nowMs + settings.dedupeMs,
  );
  const found = ids.filter((each) => tables.removal.conversation(each));
  if (found.length === 0) return "not-found";
  tables.removal.named(names);
  for (const forget of forgets) forget();
  return "erased";
}

/** Why something of an erased person may still be in a file, though no table has it any more. */
export function tracesLeft(context: StepContext): string | undefined {
  return context.tables.removal.tracesLeft();
}

function personOf(context: StepContext, id: string): Person {
  const known = context.tables.conversations.get(id);
  const keys = known ? [known] : keysWithout(context, id);
  const people = keys.map((key) => everythingOf(context, key));
  return {
    names: [...new Set(people.flatMap(({ names }) => names))],
    ids: [...new Set([id, ...people.flatMap(({ ids }) => ids)])],
    forgets: people.flatMap(({ forgets }) => forgets),
  };
}

/** Senders to a conversation that has no record: it was never created, or was removed. */
function keysWithout(context: StepContext, id: string): NamedKey[] {
  const letters = context.tables.deadLetters.of(id).flatMap(({ rows }) => rows);
  const rows = messagesOf([...context.tables.staged.all(id), ...letters]);
  return rows.map(({ message }) => namedIn(context, id, message));
}

type NamedKey = ConversationKey & Named & { readonly id?: string };

/** The owner of a bare number when its message was staged: the person at whose place it waits. */
function namedIn(context: StepContext, id: string, arrival: Arrival): NamedKey {
  const senderAlias = arrival.senderAlias ?? nameAt(context, id, [arrival]);
  return { ...conversationKey(context.settings, arrival), senderAlias, id };
}

/** One name leads to conversations, and each of them may know another name. */
function everythingOf(context: StepContext, key: NamedKey): Person {
  const { tables } = context;
  for (let looked = namesOf(key); ; ) {
    const found = tables.conversations.named(key, looked);
    const records = tables.names.records(key, looked);
    const { conversations, names, waitsUnder, places, mentions, gone, borne } = personIn(
      [key],
      found,
      records,
    );
    const known = new Set([...looked, ...mentions]);
    if (known.size > looked.length) {
      looked = [...known];
      continue;
    }
    // Where messages wait that are looked at on their turn.
    const waiting = waitsUnder.map((sender) => nextId(context, { ...key, sender }));
    const ids = [...conversations.map(({ id }) => id), ...places, ...waiting];
    const erased = { names: gone, conversationIds: new Set(key.id ? [key.id, ...ids] : ids), borne };
    return {
      names,
      ids,
      forgets: [...records].map(
        ([name, record]) =>
          () =>
            tables.names.put(key, name, erasedFrom(name, record, erased)),
      ),
    };
  }
}
