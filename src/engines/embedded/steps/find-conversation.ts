import { conversationId, keyOf } from "../../../core/identity.ts";
import { lookUp } from "../../../core/lookup.ts";
import { freeId, NOTHING_KEPT } from "../../../core/name-lookups.ts";
import { changedName, isPassing, namesOf } from "../../../core/names.ts";
import { newConversation } from "../../../core/new-conversation.ts";
import { alsoAskedFor, type Choice, chooseConversation } from "../../../core/person.ts";
import type { Conversation, ConversationKey, NewConversation } from "../../../model/conversation.ts";
import type { Named, NameRecords } from "../../../model/names.ts";
import type { StepContext } from "../context.ts";

/** The id that the key's next conversation will have. */
export function nextId(context: StepContext, key: ConversationKey, isOwnerless = false): string {
  const { tables, secret } = context;
  const latestId = tables.conversations.latestId(key);
  const record = isPassing(key.sender) ? tables.names.records(key, [key.sender]).get(key.sender) : undefined;
  const idAfter = (previousId?: string) => conversationId(secret, key, previousId);
  return lookUp(freeId(idAfter, { latestId, record, isOwnerless }), ({ asks, id }) => {
    if (asks === "is-made") return tables.conversations.get(id) !== undefined;
    return tables.staged.count(id) > 0 || tables.deadLetters.of(id).length > 0;
  });
}

/** Where ownerless messages waited, or the place after it. */
export function ownerlessId(context: StepContext, key: ConversationKey, waitingId: string): string {
  return context.tables.conversations.get(waitingId) ? nextId(context, key, true) : waitingId;
}

/** Chooses among the address's active conversations under these names, or the number owner's. */
export function findKnown({ tables }: StepContext, key: ConversationKey, named: Named): Choice<Conversation> {
  const own = namesOf(named);
  // Only numbers pass on: for a lasting name, its conversations are all that is needed.
  const known = own.some(isPassing) ? tables.names.records(key, own) : NOTHING_KEPT;
  const also = alsoAskedFor(named, known);
  const records = also.length === 0 ? known : new Map([...known, ...tables.names.records(key, also)]);
  return chooseConversation(named, tables.conversations.active(key, [...own, ...also]), records);
}

/** The conversation of a first message. */
export function createFor(
  context: StepContext,
  key: ConversationKey,
  choice: Choice<Conversation>,
  id?: string,
): Conversation {
  return createConversation(context, keyOf(key), choice, id);
}

/** Creates it under the lasting name, if that is known. */
export function createConversation(
  context: StepContext,
  given: Omit<NewConversation, "senderAlias">,
  choice: Choice<Conversation>,
  id = nextId(context, { ...given, sender: choice.sender }),
): Conversation {
  const { sender } = choice;
  const made = newConversation(id, { ...given, sender }, context.nowMs);
  const conversation = learning(context, made, choice);
  context.tables.conversations.put(conversation);
  return conversation;
}

/** Learns the person's other name, so that a later message that carries only that one is found too. */
export function withAlias(
  context: StepContext,
  conversation: Conversation,
  choice: Choice<Conversation>,
): Conversation {
  const named = learning(context, conversation, choice);
  if (named !== conversation) context.tables.conversations.put(named);
  return named;
}

function learning(
  context: StepContext,
  conversation: Conversation,
  choice: Choice<Conversation>,
): Conversation {
  keepNames(context, conversation, choice, conversation.id);
  const { learns } = choice;
  return learns === undefined ? conversation : { ...conversation, senderAlias: learns };
}

/** Learns the names in a message, whether or not the message is accepted. */
export function learn(context: StepContext, key: ConversationKey, choice: Choice<Conversation>): void {
  const { found, sender, isOfStranger } = choice;
  if (found) withAlias(context, found, choice);
  else keepNames(context, key, choice, isOfStranger && nextId(context, { ...key, sender }));
}

/** Also takes the number from the conversations of its former owner. */
function keepNames(
  { tables }: StepContext,
  key: ConversationKey,
  { keeps, passedOn }: Choice<Conversation>,
  conversationId?: string,
): void {
  if (passedOn)
    for (const { senderAlias, ...rest } of tables.conversations.active(key, [passedOn.from]))
      if (senderAlias === passedOn.name) tables.conversations.put(rest);
  for (const [name, change] of keeps(conversationId))
    tables.names.put(key, name, changedName(tables.names.records(key, [name]).get(name), change));
}

/** Answers a lookup of name records. */
export function recordsAt({ tables }: StepContext, key: ConversationKey) {
  return (names: readonly string[]): NameRecords => tables.names.records(key, names);
}
