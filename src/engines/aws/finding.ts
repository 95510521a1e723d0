import { newConversation } from "../../core/new-conversation.ts";
import { type Choice, chooseConversation, isPassing, type Named, namesOf } from "../../core/person.ts";
import type { Conversation, ConversationKey, NewConversation } from "../../ports/conversations.ts";
import type { Arrival } from "../../ports/message.ts";
import { withRoom } from "./aside.ts";
import { conversationFrom, createdAtMsOf, isAbout, rowFrom, rowKey } from "./conversation-item.ts";
import { absent, all, equal, type Item, present } from "./expression.ts";
import { ImpossibleWrite } from "./failure.ts";
import { aliasKey, conversationKeyOf } from "./keys.ts";
import type { Site } from "./site.ts";
import { BY_ACTIVITY, BY_ID } from "./tables.ts";

/** What is known of a person's conversations under one key. */
export interface Known extends Pick<Choice<Conversation>, "learns"> {
  /** The one that the message belongs to. */
  readonly active?: Conversation;
  /** The latest one of exactly this key, complete or not; only looked up where there is no active one. */
  readonly latestId?: string;
}

/**
 * The index first. It may lag, so a miss is followed by a consistent read before anybody is refused or anything is made; likewise what only
 * the person's other name tells, unless the conversation that is found has both.
 */
export async function findKnown(site: Site, key: ConversationKey, alias?: string): Promise<Known> {
  const named = { sender: key.sender, senderAlias: alias };
  const indexed = await rowsOf(site, key, namesOf(named), { active: true });
  const { found, learns } = chooseConversation(named, newestFirst(indexed));
  if (found && isCertain(found, named)) return { active: found, ...(learns !== undefined && { learns }) };
  return findForSure(site, key, alias);
}

/** Whether nobody else can answer to these names: a number that came alone may have changed hands, and nothing here would show it. */
function isCertain(found: Conversation, { sender, senderAlias }: Named): boolean {
  const isOwn = found.sender === sender;
  const isBoth = namesOf(found).includes(sender) && namesOf(found).includes(senderAlias ?? "");
  return (
    isBoth || (isOwn && (senderAlias !== undefined || namesOf(found).length === 1 || !isPassing(sender)))
  );
}

/** Without the index. */
export async function findForSure(site: Site, key: ConversationKey, alias?: string): Promise<Known> {
  const named = { sender: key.sender, senderAlias: alias };
  const names = namesOf(named);
  const holders = await holdersOf(site, key, names);
  const rows = await rowsOf(site, key, [...new Set([...names, ...holders.values()])], { active: false });
  const active = newestFirst(rows).filter(({ taskComplete }) => !taskComplete);
  const { found, learns } = chooseConversation(
    named,
    active.map((each) => answeringTo(each, holders)),
  );
  const learning = learns !== undefined && { learns };
  if (found) return { active: found, ...learning };
  const last = latest(rows.filter((row) => row.primary_channel === key.sender));
  return { ...(last && { latestId: String(last.conversation_id) }), ...learning };
}

/** The note under a name says who has it, and not the row: that may have had no room for it, or not have heard yet that it is another's. */
function answeringTo(conversation: Conversation, holders: ReadonlyMap<string, string>): Conversation {
  const { sender, senderAlias } = conversation;
  const [noted] = [...holders].find(([, holder]) => holder === sender) ?? [];
  if (senderAlias === undefined)
    return noted === undefined ? conversation : { ...conversation, senderAlias: noted };
  const holder = holders.get(senderAlias);
  return holder === undefined || holder === sender ? conversation : withoutAlias(conversation);
}

function withoutAlias({ senderAlias, aliasChangedHands, ...rest }: Conversation): Conversation {
  return rest;
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

/** A person may be known under another name: that is written down under its own key, and read consistently. By name, the holder's own. */
export async function holdersOf(
  site: Site,
  key: ConversationKey,
  names: readonly string[],
): Promise<Map<string, string>> {
  const byKey = new Map(names.map((name) => [aliasKey(key, name), name]));
  const found = await site.store.getMany("state", [...byKey.keys()].map(conversationKeyOf));
  return new Map(
    found.flatMap(({ conversation_id: id, primary_channel: holder }) =>
      typeof holder === "string" ? [[byKey.get(String(id))!, holder] as const] : [],
    ),
  );
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
export function nextId({ installation }: Site, key: ConversationKey, { latestId }: Known): string {
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

/** Of a conversation that comes from elsewhere: where it is, and the person's other name, unless somebody has that here by now. */
export async function noteNames(site: Site, conversation: Conversation): Promise<void> {
  const { id, sender, senderAlias } = conversation;
  if (senderAlias !== undefined)
    await site.store.put("state", aliasItem(conversation, senderAlias), absent("conversation_id"));
  await rememberPlace(site, id, sender);
}

/** Learns the person's other name, so that a later message that carries only that one is found too. */
export async function withAlias(site: Site, conversation: Conversation, known: Known): Promise<Conversation> {
  const named = await learning(site, conversation, known);
  if (named === conversation) return conversation;
  const { senderAlias, aliasChangedHands } = named;
  const key = rowKey(conversation.sender, conversation.id);
  const change = { set: { sender_alias: senderAlias, alias_changed_hands: aliasChangedHands } };
  await site.store.update("conversations", key, change, present("conversation_id")).catch((error) => {
    // A row without room for it: the name is found by its own key all the same.
    if (!(error instanceof ImpossibleWrite)) throw error;
    const about = { conversation: conversation.id, lacks: "sender_alias", reason: error.message };
    site.log("error", "conversation.not-updated", about);
  });
  return named;
}

/** Noted before the row is written, so that nobody finds a row and not the way to it. Whoever had the name before has it no more. */
async function learning(site: Site, conversation: Conversation, { learns }: Known): Promise<Conversation> {
  if (learns === undefined) return conversation;
  const { sender, senderAlias: former } = conversation;
  const note = await site.store.get("state", conversationKeyOf(aliasKey(conversation, learns)));
  const holder = note?.primary_channel;
  const isAnothers = typeof holder === "string" && holder !== sender;
  if (isAnothers) await forgetAlias(site, { ...conversation, sender: holder }, learns);
  // In the note, too: whoever dies before the row is written has to find it again.
  const changedHands = isAnothers || note?.changed_hands === true;
  await site.store.put("state", {
    ...aliasItem(conversation, learns),
    ...(changedHands && { changed_hands: true }),
  });
  if (former !== undefined) await leaveAlias(site, conversation, former);
  return {
    ...withoutAlias(conversation),
    senderAlias: learns,
    ...(changedHands && { aliasChangedHands: true }),
  };
}

/** Nobody is told who had it. The note itself stays: roles that take messages in may not delete. */
async function leaveAlias(site: Site, conversation: Conversation, name: string): Promise<void> {
  const key = conversationKeyOf(aliasKey(conversation, name));
  const isTheirs = equal("primary_channel", conversation.sender);
  await site.store.update("state", key, { set: { primary_channel: undefined } }, isTheirs);
}

async function forgetAlias(site: Site, holder: ConversationKey, name: string): Promise<void> {
  const rows = await rowsOf(site, holder, [holder.sender], { active: false });
  const change = { set: { sender_alias: undefined, alias_changed_hands: undefined } };
  for (const { id, sender, senderAlias, taskComplete } of rows.map(conversationFrom))
    if (!taskComplete && senderAlias === name)
      await site.store.update("conversations", rowKey(sender, id), change, equal("sender_alias", name));
}

function aliasItem(conversation: Conversation, name: string): Item {
  return { conversation_id: aliasKey(conversation, name), primary_channel: conversation.sender };
}

/** Our own note of where a conversation's row is: the index by id may lag. */
async function rememberPlace(site: Site, id: string, primaryChannel: string): Promise<void> {
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
