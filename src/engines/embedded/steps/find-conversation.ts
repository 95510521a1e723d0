import { conversationId } from "../../../core/identity.ts";
import { changedName, isPassing, namesOf } from "../../../core/names.ts";
import { fromTemplate, newConversation } from "../../../core/new-conversation.ts";
import {
  type Addressed,
  alsoAskedFor,
  type Choice,
  chooseConversation,
  isClosed,
  movedFrom,
  nameAddressed,
  namesBehind,
} from "../../../core/person.ts";
import type { Conversation, ConversationKey, NewConversation } from "../../../model/conversation.ts";
import type { Named, NameRecord, NameRecords } from "../../../model/names.ts";
import type { Moved } from "../../../model/take.ts";
import type { StepContext } from "../context.ts";

/** The id that the key's next conversation will have. */
export function nextId(context: StepContext, key: ConversationKey): string {
  return freeId(context, key, () => true);
}

/** Ids under which something of a number's former owners waits, or is kept, are left out. */
function freeId(context: StepContext, key: ConversationKey, isFree: (id: string) => boolean): string {
  const { tables, secret } = context;
  let id = conversationId(secret, key, tables.conversations.latestId(key));
  const record = isPassing(key.sender) && tables.names.records(key, [key.sender]).get(key.sender);
  if (!record) return id;
  while (!isFree(id) || isShut(context, id, record)) id = conversationId(secret, key, id);
  return id;
}

function isShut({ tables }: StepContext, id: string, record: NameRecord): boolean {
  const isUsed = tables.staged.count(id) > 0 || tables.deadLetters.of(id).length > 0;
  return tables.conversations.get(id) !== undefined || isClosed(id, record, isUsed);
}

/** Where ownerless messages waited, or the place after it, but not where a stranger's messages wait. */
export function ownerlessId(context: StepContext, key: ConversationKey, waitingId: string): string {
  const { tables } = context;
  const strangers = tables.names.records(key, [key.sender]).get(key.sender)?.strangers ?? [];
  return tables.conversations.get(waitingId)
    ? freeId(context, key, (id) => !strangers.includes(id))
    : waitingId;
}

/** Chooses among the address's active conversations under these names, or the number holder's. */
export function findKnown({ tables }: StepContext, key: ConversationKey, named: Named): Choice<Conversation> {
  const own = namesOf(named);
  // Only numbers pass on: for a lasting name, its conversations are all that is needed.
  const known = own.some(isPassing) ? tables.names.records(key, own) : NOTHING_KEPT;
  const also = alsoAskedFor(named, known);
  const records = also.length === 0 ? known : new Map([...known, ...tables.names.records(key, also)]);
  return chooseConversation(named, tables.conversations.active(key, [...own, ...also]), records);
}

const NOTHING_KEPT: NameRecords = new Map();

/** The conversation of a first message, from the project's template. */
export function createFor(
  context: StepContext,
  key: ConversationKey,
  choice: Choice<Conversation>,
  id?: string,
): Conversation {
  return createConversation(context, fromTemplate(key, context.settings), choice, id);
}

/** Creates it under the lasting name, if that is known. */
export function createConversation(
  context: StepContext,
  given: Omit<NewConversation, "senderAlias">,
  choice: Choice<Conversation>,
  id = nextId(context, { ...given, sender: choice.sender }),
): Conversation {
  const { sender } = choice;
  const { projectStatus } = context.settings;
  const made = newConversation(id, { ...given, sender }, { projectStatus, nowMs: context.nowMs });
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

/** Also takes the number from the conversations of its former holder. */
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

/** What tells where the person of a conversation can be reached. */
export function recordsBehind({ tables }: StepContext, conversation: Conversation): NameRecords {
  for (let records = NOTHING_KEPT; ; ) {
    const found = tables.names.records(conversation, namesBehind(conversation, records));
    if (found.size === 0) return records;
    records = new Map([...records, ...found]);
  }
}

/** Set if the customer no longer has the number to which this is sent. */
export function movedSince(
  context: StepContext,
  conversation: Conversation,
  content: Addressed,
): Moved | undefined {
  const name = nameAddressed(content);
  return name === undefined ? undefined : movedFrom(name, conversation, recordsBehind(context, conversation));
}
