import { isPassing, namesOf } from "../../../core/names.ts";
import { newConversation } from "../../../core/new-conversation.ts";
import { type Choice, chooseConversation, otherNamesOf } from "../../../core/person.ts";
import type { Conversation, ConversationKey, NewConversation } from "../../../model/conversation.ts";
import type { Arrival } from "../../../model/message.ts";
import type { Site } from "../context.ts";
import { absent, all, equal, type Item, present } from "../dynamo/expression.ts";
import { BY_ACTIVITY, BY_ID } from "../dynamo/tables.ts";
import { ImpossibleWrite } from "../failure.ts";
import { withRoom } from "../items/aside.ts";
import { conversationFrom, createdAtMsOf, isAbout, rowFrom, rowKey } from "../items/conversation-item.ts";
import { conversationKeyOf } from "../items/keys.ts";
import { keepName, NOTHING_KEPT, recordsFor } from "../items/name-item.ts";

/** What is known of a person's conversations under one key. */
export interface Known extends Omit<Choice<Conversation>, "found"> {
  /** The one that the message belongs to. */
  readonly active?: Conversation;
  /** The latest one of exactly this key, complete or not; only looked up where there is no active one. */
  readonly latestId?: string;
}

/**
 * The index first. It may lag, so a miss is followed by a consistent read before anybody is refused or anything is made. Whose a number is
 * stands under its own key, and is always read consistently.
 */
export async function findKnown(site: Site, key: ConversationKey, alias?: string): Promise<Known> {
  const named = { sender: key.sender, senderAlias: alias };
  const names = namesOf(named);
  const [own, records] = await Promise.all([
    rowsOf(site, key, names, { active: true }),
    // Only numbers pass on. For a name that stays its record is of use where the index knows of no conversation.
    names.some(isPassing) ? recordsFor(site, key, named) : NOTHING_KEPT,
  ]);
  const others = await rowsOf(site, key, otherNamesOf(named, records), { active: true });
  const { found, ...rest } = chooseConversation(named, newestFirst([...own, ...others]), records);
  return found ? { active: found, ...rest } : findForSure(site, key, alias);
}

/** Without the index. */
export async function findForSure(site: Site, key: ConversationKey, alias?: string): Promise<Known> {
  const named = { sender: key.sender, senderAlias: alias };
  const records = await recordsFor(site, key, named);
  const names = [...namesOf(named), ...otherNamesOf(named, records)];
  const rows = await rowsOf(site, key, names, { active: false });
  const active = newestFirst(rows).filter(({ taskComplete }) => !taskComplete);
  const { found, ...rest } = chooseConversation(named, active, records);
  if (found) return { active: found, ...rest };
  const last = latest(rows.filter((row) => row.primary_channel === key.sender));
  return { ...(last && { latestId: String(last.conversation_id) }), ...rest };
}

/** Of exactly this key, complete or not: what stands under the person's name, read consistently. */
export async function latestId(site: Site, key: ConversationKey): Promise<string | undefined> {
  const found = latest(await rowsOf(site, key, [key.sender], { active: false }));
  return found && String(found.conversation_id);
}

export async function rowsOf(
  site: Site,
  key: ConversationKey,
  names: readonly string[],
  { active }: { active: boolean },
): Promise<Item[]> {
  const read = (name: string) => {
    const ofName = equal("primary_channel", name);
    return active
      ? site.store.query("conversations", { index: BY_ACTIVITY, key: all(ofName, equal("task_complete", 0)) })
      : site.store.query("conversations", { key: ofName });
  };
  const found = (await Promise.all(names.map(read))).flat();
  return found.filter((row) => isAbout(row, key));
}

function newestFirst(rows: readonly Item[]): Conversation[] {
  return rows.map(conversationFrom).sort((a, b) => b.createdAtMs - a.createdAtMs);
}

export function latest(rows: readonly Item[]): Item | undefined {
  return rows.reduce<Item | undefined>(
    (newest, row) => (newest && createdAtMsOf(newest) > createdAtMsOf(row) ? newest : row),
    undefined,
  );
}

export function keyOf(site: Site, { channel, address, sender }: Arrival): ConversationKey {
  return { channelType: site.settings.channels[channel]?.type ?? channel, address, sender };
}

/** The id that the key's next conversation will have. */
export function nextId(
  { installation }: Site,
  key: ConversationKey,
  { latestId }: Pick<Known, "latestId">,
): string {
  return installation.conversationId(key, latestId);
}

/** Made on condition that it is not there: two first messages at once, on two machines, make one conversation. */
export async function createConversation(
  site: Site,
  given: Omit<NewConversation, "senderAlias">,
  known: Known,
): Promise<{ created: boolean; conversation: Conversation }> {
  const { channelType, address, sender } = given;
  const id = nextId(site, { channelType, address, sender }, known);
  const { projectStatus } = site.settings;
  const made = newConversation(id, given, { projectStatus, nowMs: site.clock.nowMs() });
  const conversation = await learning(site, made, known);
  await rememberPlace(site, id, sender);
  const createdAs = site.newId();
  const row = { ...rowFrom(conversation), created_as: createdAs };
  const written = await site.store.put("conversations", row, absent("conversation_id"));
  const isMine = written.kind === "done" || !written.item || written.item.created_as === createdAs;
  if (isMine) return { created: true, conversation };
  return { created: false, conversation: conversationFrom(written.item!) };
}

/** Learns the person's other name, so that a later message that carries only that one is found too. */
export async function withAlias(site: Site, conversation: Conversation, known: Known): Promise<Conversation> {
  const named = await learning(site, conversation, known);
  if (named === conversation) return conversation;
  const key = rowKey(conversation.sender, conversation.id);
  const change = { set: { sender_alias: named.senderAlias } };
  await site.store.update("conversations", key, change, present("conversation_id")).catch((error) => {
    // A row without room for it: whose it is stands under its name all the same.
    if (!(error instanceof ImpossibleWrite)) throw error;
    const about = { conversation: conversation.id, lacks: "sender_alias", reason: error.message };
    site.log("error", "conversation.not-updated", about);
  });
  return named;
}

/** Kept before the row is written, so that nobody finds a row and not the way to it. Whoever had the name before has it no more. */
async function learning(
  site: Site,
  conversation: Conversation,
  { learns, records, passedOn }: Known,
): Promise<Conversation> {
  if (passedOn) await forgetAlias(site, { ...conversation, sender: passedOn.from }, passedOn.name);
  for (const [name, record] of records) await keepName(site, conversation, name, record);
  return learns === undefined ? conversation : { ...conversation, senderAlias: learns };
}

async function forgetAlias(site: Site, holder: ConversationKey, name: string): Promise<void> {
  const rows = await rowsOf(site, holder, [holder.sender], { active: false });
  const change = { set: { sender_alias: undefined } };
  for (const { id, sender, senderAlias, taskComplete } of rows.map(conversationFrom))
    if (!taskComplete && senderAlias === name)
      await site.store.update("conversations", rowKey(sender, id), change, equal("sender_alias", name));
}

/** Our own note of where a conversation's row is: the index by id may lag. */
export async function rememberPlace(site: Site, id: string, primaryChannel: string): Promise<void> {
  site.places.set(id, primaryChannel);
  const change = { set: { primary_channel: primaryChannel } };
  await withRoom(site, id, () => site.store.update("state", conversationKeyOf(id), change));
}

/** The first half of a conversation's key, for callers that have its id only. */
export async function placeOf(site: Site, id: string): Promise<string | undefined> {
  const known = site.places.get(id) ?? (await lookUpPlace(site, id));
  if (known !== undefined) site.places.set(id, known);
  return known;
}

async function lookUpPlace(site: Site, id: string): Promise<string | undefined> {
  const noted = (await site.store.get("state", conversationKeyOf(id)))?.primary_channel;
  if (typeof noted === "string" && noted !== "") return noted;
  const key = equal("conversation_id", id);
  const [found] = await site.store.query("conversations", { index: BY_ID, key, limit: 1 });
  return found && String(found.primary_channel);
}

/** The row itself, read consistently. */
export async function rowOf(site: Site, id: string, primaryChannel?: string): Promise<Item | undefined> {
  const place = primaryChannel || (await placeOf(site, id));
  return place === undefined ? undefined : site.store.get("conversations", rowKey(place, id));
}

export async function conversationOf(
  site: Site,
  id: string,
  primaryChannel?: string,
): Promise<Conversation | undefined> {
  const row = await rowOf(site, id, primaryChannel);
  return row && conversationFrom(row);
}
