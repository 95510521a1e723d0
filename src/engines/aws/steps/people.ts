import { conversationKey } from "../../../core/identity.ts";
import { bearerOf, shownName } from "../../../core/named-person.ts";
import { isAbout } from "../../../core/named-rows.ts";
import { namesOf } from "../../../core/names.ts";
import type { Conversation } from "../../../model/conversation.ts";
import {
  isOver,
  isPlace,
  type KeptOf,
  type KeptRecord,
  type NamedOnly,
  type PersonAt,
} from "../../../model/kept.ts";
import type { Arrival } from "../../../model/message.ts";
import type { Listing, Page } from "../../../ports/inspector.ts";
import type { KeptPage, PersonSearch } from "../../../ports/people.ts";
import type { AwsContext } from "../context.ts";
import { equal, type Item } from "../dynamo/expression.ts";
import { conversationFrom, SENDER } from "../items/conversation-item.ts";
import { rowOf } from "../items/conversation-row.ts";
import { erasingAmong, forgetErasing, noteErasing } from "../items/erasing-note.ts";
import { shards } from "../items/keys.ts";
import { recordsOf } from "../items/name-item.ts";
import { refusalFrom, shortName } from "../items/refusal-item.ts";
import { stagedFrom } from "../items/stage-item.ts";
import { isUsed } from "../items/staged.ts";
import { erasePeople } from "./erase.ts";
import { rowsOf } from "./find-conversation.ts";
import { listDead } from "./inspect.ts";
import { keptIn } from "./kept.ts";
import { newestFirst } from "./listing.ts";
import { everythingOf, type PersonRows, personOf, together } from "./person.ts";
import { discardQuarantined, listQuarantined } from "./quarantined.ts";
import { eraseRefusalsOf } from "./refuse.ts";

/** Dead letters of one look: each costs a request for its messages. */
const LETTERS_MAX = 50;
/** Rows that were set aside, of one look. */
const ASIDE_MAX = 200;
/** Conversations of one look through all of them. */
const LISTED_MAX = 100;

type Place = Pick<PersonAt, "channelType" | "address">;

/**
 * First by the keys of conversations, which begin with the customer, and by the records of names at our
 * addresses. What waits without a conversation, and what is dead without one, has no such key: the stage
 * table, which is small, and the list of dead letters are looked through, a page for each look. A person who
 * is asked for by a number and known by another name, at an address of ours that is configured no more, is
 * found only in the list of all conversations, which costs a read for each.
 */
export async function findPerson(
  context: AwsContext,
  { names, isThorough = false, cursor }: PersonSearch,
): Promise<Listing<PersonAt>> {
  if (cursor === undefined) return { items: await byKey(context, names), next: JSON.stringify(["stage"]) };
  const [list, from] = JSON.parse(cursor) as [string, (Item | string)?];
  if (list === "stage") return stagedStrays(context, names, from as Item | undefined);
  if (list === "listed") return listedBearers(context, names, from as string | undefined);
  const page = await deadStrays(context, names, from as string | undefined);
  if (page.next !== undefined || !(isThorough || isAnyPlaceUnknown(context))) return page;
  return { ...page, next: JSON.stringify(["listed"]) };
}

/** A channel that names no address may have customers anywhere: the keys of name records cannot be made. */
function isAnyPlaceUnknown({ settings }: AwsContext): boolean {
  const channels = Object.values(settings.channels);
  return channels.length === 0 || channels.some(({ addresses = [] }) => addresses.length === 0);
}

/** Conversations that bear the name beside another, at whatever address: the whole list, page by page. */
async function listedBearers(
  context: AwsContext,
  names: readonly string[],
  cursor: string | undefined,
): Promise<Listing<PersonAt>> {
  const page = { limit: LISTED_MAX, ...(cursor !== undefined && { cursor }) };
  const { items, next } = await newestFirst(context, "conversations", shards(), page);
  const bearers = items
    .map(conversationFrom)
    .filter((each) => namesOf(each).some((name) => names.includes(name)));
  const places = await Promise.all(
    placesOf({ settings: { channels: {} } }, bearers).map((place) => {
      const isThere = (each: Conversation) =>
        each.channelType === place.channelType && each.address === place.address;
      return personAtPlace(context, place, names, bearers.filter(isThere));
    }),
  );
  return {
    items: places.flatMap((place) => place ?? []),
    ...(next !== undefined && { next: JSON.stringify(["listed", next]) }),
  };
}

async function byKey(context: AwsContext, names: readonly string[]): Promise<PersonAt[]> {
  const [begun, ...rows] = await Promise.all([
    erasingAmong(context, names),
    ...names.map((name) => context.store.query("conversations", { key: equal(SENDER, name) })),
  ]);
  const known = [...rows.flat().map(conversationFrom), ...begun];
  const places = await Promise.all(
    placesOf(context, known).map((place) => personAtPlace(context, place, names)),
  );
  return [...begun, ...places.flatMap((place) => place ?? [])];
}

/** Where the names are known, and where our channels are. */
function placesOf(
  { settings }: { readonly settings: Pick<AwsContext["settings"], "channels"> },
  known: readonly Place[],
): Place[] {
  const configured = Object.values(settings.channels).flatMap(({ type, addresses = [] }) =>
    addresses.map((address) => ({ channelType: type, address })),
  );
  const all = [...known, ...configured].map(({ channelType, address }) => ({ channelType, address }));
  return [...new Map(all.map((place) => [JSON.stringify(place), place])).values()];
}

async function personAtPlace(
  context: AwsContext,
  place: Place,
  names: readonly string[],
  bearers: readonly Conversation[] = [],
): Promise<PersonAt | undefined> {
  const found = await Promise.all(
    names.map(async (name) => ({ name, ...(await personNamed(context, place, name, bearers)) })),
  );
  const theirs = found.filter(({ ids, hasRecords }) => ids.length > 0 || hasRecords);
  if (theirs.length === 0) return undefined;
  return {
    ...place,
    names: unique(theirs.flatMap(({ name, keys }) => [name, ...keys.map(({ sender }) => sender)])),
    conversationIds: unique(theirs.flatMap(({ ids }) => ids)),
    others: unique(theirs.flatMap(({ others }) => others)),
  };
}

interface NamedRows extends PersonRows {
  readonly others: readonly string[];
  readonly hasRecords: boolean;
}

/** The person who has this name at this address of ours, and who else has had it. */
async function personNamed(
  context: AwsContext,
  place: Place,
  name: string,
  bearers: readonly Conversation[] = [],
): Promise<NamedRows> {
  const key = { ...place, sender: name };
  const [rows, records] = await Promise.all([
    rowsOf(context, key, [name], { active: false }),
    recordsOf(context, key, [name]),
  ]);
  // Those that bear it beside another name have no key by it; whose the name is, its record says first.
  const beside = bearers.filter(({ senderAlias }) => senderAlias === name);
  const { starts, others } = bearerOf(name, [...rows.map(conversationFrom), ...beside], records);
  const person = together(
    await Promise.all(starts.map((start) => everythingOf(context, { ...key, ...start }))),
  );
  const there = await Promise.all(
    person.ids.map(async (id) => ((await rowOf(context, id)) || (await isUsed(context, id)) ? [id] : [])),
  );
  const known = new Set([
    ...person.kept.flatMap(({ erased }) => [...erased.names]),
    ...person.keys.map(({ sender }) => sender),
  ]);
  return {
    ...person,
    ids: there.flat(),
    others: others.filter((other) => !known.has(other)),
    hasRecords: records.size > 0 && starts.length > 0,
  };
}

function unique(all: readonly string[]): string[] {
  return [...new Set(all)];
}

async function stagedStrays(
  context: AwsContext,
  names: readonly string[],
  from: Item | undefined,
): Promise<Listing<PersonAt>> {
  const { items, next } = await context.store.scanPage("stage", { from });
  const messages = items
    .map(stagedFrom)
    .flatMap((read) =>
      read.kind === "sound" && read.value.kind === "message"
        ? [{ conversationId: read.value.conversationId, message: read.value.message }]
        : [],
    );
  return {
    items: await straysAmong(context, names, messages),
    next: JSON.stringify(next ? ["stage", next] : ["dead"]),
  };
}

async function deadStrays(
  context: AwsContext,
  names: readonly string[],
  cursor: string | undefined,
): Promise<Listing<PersonAt>> {
  const { items, next } = await listDead(context, { limit: LETTERS_MAX, ...(cursor && { cursor }) });
  const messages = items.flatMap(({ conversationId, messages: written }) =>
    written.map((message) => ({ conversationId, message })),
  );
  return {
    items: await straysAmong(context, names, messages),
    ...(next !== undefined && { next: JSON.stringify(["dead", next]) }),
  };
}

async function straysAmong(
  context: AwsContext,
  names: readonly string[],
  all: readonly { readonly conversationId: string; readonly message: Arrival }[],
): Promise<PersonAt[]> {
  const theirs = all.filter(({ message }) => namesOf(message).some((name) => names.includes(name)));
  const byId = new Map(theirs.map((each) => [each.conversationId, each.message]));
  const found = await Promise.all(
    [...byId].map(async ([id, message]) => {
      if (await rowOf(context, id)) return [];
      const { channelType, address, sender } = conversationKey(context.settings, message);
      return [{ channelType, address, names: [sender], conversationIds: [id], others: [] }];
    }),
  );
  return found.flat();
}

export async function keptOf(context: AwsContext, of: KeptOf, page: KeptPage): Promise<Listing<KeptRecord>> {
  if (!isPlace(of)) return namedOnly(context, of, page);
  if (page.kind === "name") return namesKept(context, of);
  return keptIn(context, of, page.kind, page);
}

/** What an erasure that was cut short has left to lead to the rest is shown, too: it goes last. */
async function namesKept(context: AwsContext, at: PersonAt): Promise<Listing<KeptRecord>> {
  const [records, begun] = await Promise.all([
    recordsOf(context, { ...at, sender: "" }, at.names),
    erasingAmong(context, at.names),
  ]);
  const shown = [...records].map(([name, record]) => ({ record: shownName(name, record) }));
  return {
    items: [...shown, ...begun.map(({ names }) => ({ record: { name: names[0] ?? "", erasing: names } }))],
  };
}

async function namedOnly(context: AwsContext, of: NamedOnly, page: KeptPage): Promise<Listing<KeptRecord>> {
  if (page.kind === "refusal") return refusalsOf(context, of, page);
  if (page.kind !== "quarantined" || of.channels !== undefined) return { items: [] };
  const { items, next } = await asideAbout(context, of, page.cursor);
  return { items: items.map((record) => ({ record })), ...(next !== undefined && { next }) };
}

/** Under each name there is a partition of its own. */
async function refusalsOf(
  context: AwsContext,
  of: NamedOnly,
  { limit, cursor }: Page,
): Promise<Listing<KeptRecord>> {
  const known = unique(of.names.map(shortName));
  const [at = 0, from] = cursor === undefined ? [] : (JSON.parse(cursor) as [number, Item?]);
  const name = known[at];
  if (name === undefined) return { items: [] };
  const key = equal("conversation_id", context.installation.refusedPartition(name));
  const page = await context.store.queryPage("messages", { key, limit, from });
  const refusals = context.quarantine
    .sound("messages", page.items, refusalFrom)
    .filter(({ channel }) => isOver(of, channel));
  const isLast = at + 1 >= known.length;
  const next = page.next ? [at, page.next] : isLast ? undefined : [at + 1];
  return {
    items: refusals.map((record) => ({ record })),
    ...(next && { next: JSON.stringify(next) }),
  };
}

/** A page of the rows that were set aside, and those of it that name the person. */
async function asideAbout(context: AwsContext, { names }: NamedOnly, cursor: string | undefined) {
  const { items, ...rest } = await listQuarantined(context, { limit: ASIDE_MAX, ...(cursor && { cursor }) });
  return { items: items.filter(({ raw }) => isAbout(raw, names)), ...rest };
}

export async function eraseKept(context: AwsContext, of: KeptOf): Promise<"erased" | "not-found"> {
  if (!isPlace(of)) return eraseNamed(context, of);
  await noteErasing(context, of);
  const named = await Promise.all(of.names.map((name) => personNamed(context, of, name)));
  const strays = await Promise.all(
    of.conversationIds.map(async (id) =>
      (await rowOf(context, id)) || !(await isUsed(context, id))
        ? []
        : [await personOf(context, id, undefined)],
    ),
  );
  // The person of a place without a conversation is known by what waits there.
  const person = together([...named, ...strays.flat()]);
  const isErased = await erasePeople(context, {
    ...person,
    ids: unique([...person.ids, ...strayIds(of, strays)]),
  });
  await forgetErasing(context, of);
  return isErased || named.some(({ hasRecords }) => hasRecords) ? "erased" : "not-found";
}

function strayIds({ conversationIds }: PersonAt, strays: readonly (readonly unknown[])[]): string[] {
  return conversationIds.filter((_, at) => strays[at]!.length > 0);
}

/** Where only some channels' are to go, rows that were set aside stay: they do not say whose they are. */
async function eraseNamed(context: AwsContext, of: NamedOnly): Promise<"erased"> {
  const { names, channels } = of;
  await eraseRefusalsOf(context, names, (channel) => isOver(of, channel));
  let cursor: string | undefined;
  if (channels === undefined)
    do {
      const { items, next } = await asideAbout(context, of, cursor);
      for (const { id } of items) await discardQuarantined(context, id, { evenMovable: true });
      cursor = next;
    } while (cursor !== undefined);
  return "erased";
}
