import { keyOf } from "../../../core/identity.ts";
import { lookUpAsync } from "../../../core/lookup.ts";
import { type BeforeNext, freeId, NOTHING_KEPT } from "../../../core/name-lookups.ts";
import { isPassing, namesOf, numberRecord } from "../../../core/names.ts";
import { newConversation } from "../../../core/new-conversation.ts";
import { type Choice, chooseConversation, otherNamesOf } from "../../../core/person.ts";
import { StoreUnavailable } from "../../../errors.ts";
import type { Conversation, ConversationKey, NewConversation } from "../../../model/conversation.ts";
import type { Named } from "../../../model/names.ts";
import type { AwsContext } from "../context.ts";
import { absent, all, any, equal, type Item, present } from "../dynamo/expression.ts";
import { BY_ACTIVITY } from "../dynamo/tables.ts";
import {
  conversationFrom,
  createdAtMsOf,
  isUnder,
  rowFrom,
  rowKey,
  rowSenderOf,
  SENDER,
  senderIn,
  spellingsOf,
} from "../items/conversation-item.ts";
import { conversationOf, rememberSender } from "../items/conversation-row.ts";
import { keepName, recordsFor } from "../items/name-item.ts";
import { isUsed } from "../items/staged.ts";
import { unlessImpossible } from "./with-row.ts";

/** What is known of a person's conversations under one key. `latestId` is looked up if none was found. */
export type Known = Choice<Conversation> & BeforeNext;

/**
 * The index first. It may lag, so a miss is followed by a consistent read before a sender is refused or
 * anything is created. The owner of a number is stored under its own key, and always read consistently.
 */
export async function findKnown(context: AwsContext, key: ConversationKey, named: Named): Promise<Known> {
  const names = namesOf(named);
  const [own, records] = await Promise.all([
    rowsOf(context, key, names, { active: true }),
    // Only numbers pass on. The record of a lasting name matters only if the index knows of no conversation.
    names.some(isPassing) ? recordsFor(context, key, named) : NOTHING_KEPT,
  ]);
  const others = await rowsOf(context, key, otherNamesOf(named, records), { active: true });
  const choice = chooseConversation(named, conversationsFrom([...own, ...others]), records);
  return choice.found ? choice : findForSure(context, key, named);
}

/** Without the index. */
export async function findForSure(context: AwsContext, key: ConversationKey, named: Named): Promise<Known> {
  const records = await recordsFor(context, key, named);
  const names = [...namesOf(named), ...otherNamesOf(named, records)];
  const rows = await rowsOf(context, key, names, { active: false });
  const active = conversationsFrom(rows).filter(({ taskComplete }) => !taskComplete);
  const choice = chooseConversation(named, active, records);
  if (choice.found) return choice;
  // The latest of the name under which the next one is created: needed only then.
  const next = { ...key, sender: choice.sender };
  const last = latest(context, next, await rowsUnder(context, next, rows, names));
  const record = numberRecord(next.sender, records);
  return { ...choice, ...(last && { latestId: String(last.conversation_id) }), record };
}

/** The rows that were already read, if that name was among those looked up. */
async function rowsUnder(
  context: AwsContext,
  key: ConversationKey,
  rows: readonly Item[],
  names: readonly string[],
): Promise<readonly Item[]> {
  return names.includes(key.sender) ? rows : rowsOf(context, key, [key.sender], { active: false });
}

/** The latest of exactly this key, complete or not, read consistently. */
export async function latestId(context: AwsContext, key: ConversationKey): Promise<string | undefined> {
  const found = latest(context, key, await rowsOf(context, key, [key.sender], { active: false }));
  return found && String(found.conversation_id);
}

export async function rowsOf(
  context: AwsContext,
  key: ConversationKey,
  names: readonly string[],
  { active }: { active: boolean },
): Promise<Item[]> {
  const read = (name: string) => {
    const ofName = equal(SENDER, name);
    return active
      ? context.store.query("conversations", {
          index: BY_ACTIVITY,
          key: all(ofName, equal("task_complete", 0)),
        })
      : context.store.query("conversations", { key: ofName });
  };
  // Other names than numbers have one spelling.
  const spelt = key.channelType === "whatsapp" ? names.flatMap(spellingsOf) : names;
  const found = (await Promise.all([...new Set(spelt)].map(read))).flat();
  return found.filter((row) => isUnder(row, key, context.settings));
}

/** Newest first. */
export function conversationsFrom(rows: readonly Item[]): Conversation[] {
  return rows.map(conversationFrom).sort((a, b) => b.createdAtMs - a.createdAtMs);
}

/** Each id is made from the one before. The last is the one from which none was made, whatever the clocks. */
export function latest(context: AwsContext, key: ConversationKey, rows: readonly Item[]): Item | undefined {
  const named = rows.filter((row) => senderIn(row) === key.sender);
  const ids = new Set(named.map((row) => String(row.conversation_id)));
  const isLast = ({ conversation_id: id }: Item) =>
    !ids.has(context.installation.conversationId(key, String(id)));
  return named
    .filter(isLast)
    .reduce<Item | undefined>(
      (newest, row) => (newest && createdAtMsOf(newest) > createdAtMsOf(row) ? newest : row),
      undefined,
    );
}

/** The id that the key's next conversation will have. */
export async function nextId(context: AwsContext, key: ConversationKey, before: BeforeNext): Promise<string> {
  const isMade = async (id: string) =>
    (await context.store.get("conversations", rowKey(key.sender, id))) !== undefined;
  return lookUpAsync(
    freeId((previousId) => context.installation.conversationId(key, previousId), before),
    ({ asks, id }) => (asks === "is-made" ? isMade(id) : isUsed(context, id)),
  );
}

/** Where ownerless messages waited, or the place after it. */
export async function ownerlessId(
  context: AwsContext,
  key: ConversationKey,
  waitingId: string,
  before: BeforeNext,
): Promise<string> {
  return (await conversationOf(context, waitingId)) ? nextId(context, key, before) : waitingId;
}

/** Another process was faster, or the conversation has become another person's: look it all up again. */
type Unless<T> = T | "look-again";

/** The conversation of a first message. */
export async function createFor(
  context: AwsContext,
  key: ConversationKey,
  known: Known,
  id?: string,
): Promise<Unless<Conversation>> {
  return createConversation(context, keyOf(key), known, id);
}

/** Created if absent: two first messages at once, on two machines, make one conversation. */
export async function createConversation(
  context: AwsContext,
  given: Omit<NewConversation, "senderAlias">,
  known: Known,
  givenId?: string,
): Promise<Unless<Conversation>> {
  const { sender } = known;
  const id = givenId ?? (await nextId(context, { ...given, sender }, known));
  const made = newConversation(id, { ...given, sender }, context.clock.nowMs());
  const conversation = await learning(context, made, known);
  if (conversation === "look-again") return conversation;
  await rememberSender(context, id, sender);
  const createdAs = context.newId();
  const row = { ...rowFrom(conversation), created_as: createdAs };
  const written = await context.store.put("conversations", row, absent("conversation_id"));
  const isMine = written.kind === "done" || !written.item || written.item.created_as === createdAs;
  if (isMine) return conversation;
  // Another system has a different row there: the id is taken all the same, and the next one follows from it.
  if (!isUnder(written.item!, given, context.settings))
    return createConversation(context, given, { ...known, latestId: id });
  return "look-again";
}

/** How often all is looked up again after another process was faster. Each time one succeeds. */
const ROUNDS_MAX = 50;

export async function untilUncontested<T>(look: (round: number) => Promise<Unless<T>>): Promise<T> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const outcome = await look(round);
    if (outcome !== "look-again") return outcome as T;
  }
  throw new StoreUnavailable("others were quicker each time");
}

/** Learns the person's other name, so that a later message that carries only that one is found too. */
export async function withAlias(
  context: AwsContext,
  conversation: Conversation,
  known: Known,
): Promise<Unless<Conversation>> {
  const named = await learning(context, conversation, known);
  if (named === "look-again" || named === conversation) return named;
  const { sender, id } = conversation;
  const change = { set: { sender_alias: named.senderAlias } };
  // A number's conversation becomes one person's, once; the number that a person used last may change.
  const isFree = isPassing(sender)
    ? any(absent("sender_alias"), equal("sender_alias", named.senderAlias))
    : present("conversation_id");
  try {
    const key = rowKey(rowSenderOf(conversation), id);
    const { kind } = await context.store.update("conversations", key, change, isFree);
    return kind === "done" ? named : "look-again";
  } catch (error) {
    // A row without room for it: the owner is in the name's record all the same.
    unlessImpossible(context.log, error, id, "sender_alias");
    return named;
  }
}

/** Stored before the row is written: a row that no record leads to would not be found. */
async function learning(
  context: AwsContext,
  conversation: Conversation,
  known: Known,
): Promise<Unless<Conversation>> {
  if (!(await keepNames(context, conversation, known))) return "look-again";
  const { learns } = known;
  return learns === undefined ? conversation : { ...conversation, senderAlias: learns };
}

/** Learns the names in a message, whether or not it is accepted. False if all has to be looked up again. */
export async function learn(
  context: AwsContext,
  key: ConversationKey,
  known: Known,
  nextId: string | undefined,
): Promise<boolean> {
  if (known.found) return (await withAlias(context, known.found, known)) !== "look-again";
  return keepNames(context, { ...key, ...(nextId !== undefined && { id: nextId }) }, known);
}

/** Also takes the number from its former owner. False if the conversation is another person's now. */
async function keepNames(
  context: AwsContext,
  key: ConversationKey & { readonly id?: string },
  { keeps, passedOn }: Known,
): Promise<boolean> {
  for (const [name, change] of keeps(key.id)) if (!(await keepName(context, key, name, change))) return false;
  if (passedOn) await forgetAlias(context, { ...key, sender: passedOn.from }, passedOn.name);
  return true;
}

async function forgetAlias(context: AwsContext, owner: ConversationKey, name: string): Promise<void> {
  const rows = await rowsOf(context, owner, [owner.sender], { active: false });
  const change = { set: { sender_alias: undefined } };
  for (const conversation of rows.map(conversationFrom)) {
    const key = rowKey(rowSenderOf(conversation), conversation.id);
    if (!conversation.taskComplete && conversation.senderAlias === name)
      await context.store.update("conversations", key, change, equal("sender_alias", name));
  }
}
