import { conversationId, conversationKey } from "../../../core/identity.ts";
import { changedName, isPassing, lastingOf, namesOf, whoseIs } from "../../../core/names.ts";
import { newConversation } from "../../../core/new-conversation.ts";
import {
  alsoAskedFor,
  type Choice,
  chooseByName,
  chooseConversation,
  isClosed,
  namesBehind,
  namesWaiting,
} from "../../../core/person.ts";
import type { Conversation, ConversationKey, NewConversation } from "../../../model/conversation.ts";
import type { Arrival } from "../../../model/message.ts";
import type { Named, NameRecords } from "../../../model/names.ts";
import type { StepContext } from "../context.ts";

/** The id that the key's next conversation will have. */
export function nextId(step: StepContext, key: ConversationKey): string {
  return freeId(step, key, () => true);
}

/** Ids under which something of a number's former owners waits, or is kept, are left out. */
function freeId(step: StepContext, key: ConversationKey, isFree: (id: string) => boolean): string {
  const { tables, secret } = step;
  const first = conversationId(secret, key, tables.conversations.latestId(key));
  const record = isPassing(key.sender) && tables.names.records(key, [key.sender]).get(key.sender);
  if (!record) return first;
  const isOpen = (id: string) =>
    !tables.conversations.get(id) && !isClosed(id, record, isUsed(step, id)) && isFree(id);
  let id = first;
  while (!isOpen(id)) id = conversationId(secret, key, id);
  return id;
}

function isUsed({ tables }: StepContext, id: string): boolean {
  return tables.staged.count(id) > 0 || tables.deadLetters.of(id).length > 0;
}

/** Where ownerless messages waited, or the place after it, but not where a stranger's messages wait. */
function nobodysId(step: StepContext, key: ConversationKey, place: string): string {
  const { tables } = step;
  const strangers = tables.names.records(key, [key.sender]).get(key.sender)?.strangers ?? [];
  return tables.conversations.get(place) ? freeId(step, key, (id) => !strangers.includes(id)) : place;
}

/**
 * The record of on-turn messages: the one under whose id they wait or, if its task is complete, the next one
 * of its person. The id tells whose messages they are: the names were learnt when they were staged, and the
 * number may be another person's by now.
 */
export function resolve(
  step: StepContext,
  place: string,
  messages: readonly Arrival[],
): Conversation | undefined {
  const { tables, settings } = step;
  const key = conversationKey(settings, messages.at(-1)!);
  const complete = tables.conversations.get(place);
  const own = messages.flatMap(namesOf);
  const records = tables.names.records(key, [...new Set([...own, ...(complete ? [complete.sender] : [])])]);
  const name = complete ? whoseIs(complete, records) || complete.sender : nameAt(step, place, messages);
  const known = name || messages.map(lastingOf).find(Boolean) || own[0]!;
  const holders = tables.names.records(key, [known, ...alsoAskedFor({ sender: known }, records)]);
  const active = tables.conversations.active(key, [known]);
  const choice = chooseByName(known, place, active, new Map([...records, ...holders]));
  if (choice.found || settings.admission !== "open") return choice.found;
  const named = { ...key, sender: choice.sender };
  return createFor(step, key, choice, choice.isOwnerless ? nobodysId(step, named, place) : undefined);
}

/** The name for whose next conversation these messages wait at this place. */
export function nameAt(step: StepContext, place: string, messages: readonly Arrival[]): string | undefined {
  const key = conversationKey(step.settings, messages.at(-1)!);
  const records = step.tables.names.records(key, messages.flatMap(namesOf));
  return namesWaiting(messages, records).find((sender) => nextId(step, { ...key, sender }) === place);
}

/** Chooses among the address's active conversations under these names, or the number holder's. */
export function chosen({ tables }: StepContext, key: ConversationKey, names: Named): Choice<Conversation> {
  const own = namesOf(names);
  // Only numbers pass on: for a lasting name, its conversations are all that is needed.
  const known = own.some(isPassing) ? tables.names.records(key, own) : NOTHING_KEPT;
  const also = alsoAskedFor(names, known);
  const records = also.length === 0 ? known : new Map([...known, ...tables.names.records(key, also)]);
  return chooseConversation(names, tables.conversations.active(key, [...own, ...also]), records);
}

const NOTHING_KEPT: NameRecords = new Map();

export function createFor(
  step: StepContext,
  key: ConversationKey,
  choice: Choice<Conversation>,
  id?: string,
): Conversation {
  const { projectStatus, allowedChannels } = step.settings;
  return createConversation(
    step,
    { ...key, projectStatus, ...(allowedChannels && { allowedChannels }) },
    choice,
    id,
  );
}

/** Creates it under the lasting name, if that is known. */
export function createConversation(
  step: StepContext,
  given: Omit<NewConversation, "senderAlias">,
  choice: Choice<Conversation>,
  id = nextId(step, { ...given, sender: choice.sender }),
): Conversation {
  const { sender } = choice;
  const { projectStatus } = step.settings;
  const made = newConversation(id, { ...given, sender }, { projectStatus, nowMs: step.nowMs });
  const conversation = learning(step, made, choice);
  step.tables.conversations.put(conversation);
  return conversation;
}

/** Learns the person's other name, so that a later message that carries only that one is found too. */
export function withAlias(
  step: StepContext,
  conversation: Conversation,
  choice: Choice<Conversation>,
): Conversation {
  const named = learning(step, conversation, choice);
  if (named !== conversation) step.tables.conversations.put(named);
  return named;
}

function learning(step: StepContext, conversation: Conversation, choice: Choice<Conversation>): Conversation {
  keepNames(step, conversation, choice, conversation.id);
  const { learns } = choice;
  return learns === undefined ? conversation : { ...conversation, senderAlias: learns };
}

/** Learns the names in a message, whether or not the message is accepted. */
export function learn(step: StepContext, key: ConversationKey, choice: Choice<Conversation>): void {
  const { found, sender, isStrangers } = choice;
  if (found) withAlias(step, found, choice);
  else keepNames(step, key, choice, isStrangers && nextId(step, { ...key, sender }));
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
    const more = namesBehind(conversation, records).filter((name) => !records.has(name));
    const found = tables.names.records(conversation, more);
    if (found.size === 0) return records;
    records = new Map([...records, ...found]);
  }
}
