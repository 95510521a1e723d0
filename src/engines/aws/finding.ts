import { newConversation } from "../../core/new-conversation.ts";
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
export interface Known {
  /** The latest one whose task is not complete. */
  readonly active?: Conversation;
  /** The latest one of exactly this key, complete or not; only looked up where there is no active one. */
  readonly latestId?: string;
}

/** The index first. It may lag, so a miss is followed by a consistent read before anybody is refused or anything is made. */
export async function findKnown(site: Site, key: ConversationKey, alias?: string): Promise<Known> {
  const indexed = latest(await rowsOf(site, key, namesOf(key, alias), { active: true }));
  return indexed ? { active: conversationFrom(indexed) } : findForSure(site, key, alias);
}

/** Without the index. */
export async function findForSure(site: Site, key: ConversationKey, alias?: string): Promise<Known> {
  const names = namesOf(key, alias);
  const others = await namesBehind(site, key, names);
  const rows = await rowsOf(site, key, [...new Set([...names, ...others])], { active: false });
  const active = latest(rows.filter((row) => !conversationFrom(row).taskComplete));
  if (active) return { active: conversationFrom(active) };
  const last = latest(rows.filter((row) => row.primary_channel === key.sender));
  return last ? { latestId: String(last.conversation_id) } : {};
}

/** Of exactly this key, complete or not: what stands under the person's name, read consistently. */
export async function latestId(site: Site, key: ConversationKey): Promise<string | undefined> {
  const found = latest(await rowsOf(site, key, [key.sender], { active: false }));
  return found && String(found.conversation_id);
}

function namesOf({ sender }: ConversationKey, alias: string | undefined): string[] {
  return [...new Set([sender, ...(alias === undefined ? [] : [alias])])];
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

/** A person may be known under another name: that is written down under its own key, and read consistently. */
export async function namesBehind(
  site: Site,
  key: ConversationKey,
  names: readonly string[],
): Promise<string[]> {
  const found = await site.store.getMany(
    "state",
    names.map((name) => conversationKeyOf(aliasKey(key, name))),
  );
  return found.flatMap(({ primary_channel }) => (typeof primary_channel === "string" ? primary_channel : []));
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
  given: NewConversation,
  known: Known,
): Promise<{ created: boolean; conversation: Conversation }> {
  const { channelType, address, sender } = given;
  const id = nextId(site, { channelType, address, sender }, known);
  const { projectStatus } = site.settings;
  const conversation = newConversation(id, given, { projectStatus, nowMs: site.clock.nowMs() });
  await noteNames(site, conversation);
  const createdAs = site.newId();
  const row = { ...rowFrom(conversation), created_as: createdAs };
  const written = await site.store.put("conversations", row, absent("conversation_id"));
  const isMine = written.kind === "done" || !written.item || written.item.created_as === createdAs;
  if (isMine) return { created: true, conversation };
  return { created: false, conversation: conversationFrom(written.item!) };
}

/** Where the conversation is, and the person's other name: written before the row, so that nobody finds a row and not the way to it. */
export async function noteNames(site: Site, conversation: Conversation): Promise<void> {
  const { id, sender, senderAlias } = conversation;
  if (senderAlias !== undefined) await learnAlias(site, conversation, senderAlias);
  await rememberPlace(site, id, sender);
}

/** Learns the person's other name, so that a later message that carries only that one is found too. */
export async function withAlias(
  site: Site,
  conversation: Conversation,
  { sender, senderAlias }: Pick<Arrival, "sender" | "senderAlias">,
): Promise<Conversation> {
  const other = [sender, senderAlias].find((name) => name !== undefined && name !== conversation.sender);
  if (other === undefined || other === conversation.senderAlias) return conversation;
  await learnAlias(site, conversation, other);
  const key = rowKey(conversation.sender, conversation.id);
  const change = { set: { sender_alias: other } };
  await site.store.update("conversations", key, change, present("conversation_id")).catch((error) => {
    // A row without room for it: the name is found by its own key all the same.
    if (!(error instanceof ImpossibleWrite)) throw error;
    const about = { conversation: conversation.id, lacks: "sender_alias", reason: error.message };
    site.log("error", "conversation.not-updated", about);
  });
  return { ...conversation, senderAlias: other };
}

function learnAlias(site: Site, conversation: Conversation, name: string): Promise<unknown> {
  const item = { conversation_id: aliasKey(conversation, name), primary_channel: conversation.sender };
  return site.store.put("state", item);
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
