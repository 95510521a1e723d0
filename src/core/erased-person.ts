import type { ConversationKey } from "../model/conversation.ts";
import {
  ERASED,
  type Named,
  type NamedConversation,
  type NameRecord,
  type NameRecords,
  OWNERLESS,
} from "../model/names.ts";
import { aliasOf, isOwnerless, isPassing, lastingOf, namesOf, whoseIs } from "./names.ts";

/** What is known of a person whose conversations are looked for. */
export interface Person<C> {
  readonly conversations: readonly C[];
  /** Everything that is stored under these names, and in no conversation, belongs to the person. */
  readonly names: readonly string[];
  /** Messages that wait for the next conversation of these names belong to the person. */
  readonly waitsUnder: readonly string[];
  /** Ids of conversations that were never made. */
  readonly places: readonly string[];
  /** Names that must be looked up, too, before the result is complete. */
  readonly mentions: readonly string[];
  /** Names that only this person had: they are removed from the records of all names. */
  readonly gone: ReadonlySet<string>;
  /** Names of conversations that stay. */
  readonly borne: ReadonlySet<string>;
}

/** A conversation, or a place where messages wait for one. */
type Each = Named & { readonly id?: string };

/**
 * Which of the conversations under these names, complete or not, belong to the same person. A number that two
 * people have had leads from neither of them to a conversation that only the number identifies: its owner
 * cannot be told. Nor does it lead to or from an ownerless conversation, or a stranger's.
 */
export function personIn<C extends NamedConversation>(
  start: readonly Each[],
  found: readonly C[],
  records: NameRecords,
): Person<C> {
  const whose = (each: Each) => ownerOf(each, records);
  const known = (each: Each) => (isOwnerless(whose(each)) ? undefined : whose(each));
  const isOfStranger = (each: Each) =>
    whose(each) === undefined && (records.get(each.sender)?.strangers?.includes(each.id ?? "") ?? false);
  const named = (each: Each): Named => ({
    ...each,
    senderAlias: aliasOf(each) ?? known(each),
  });
  const pairs = [...records].flatMap(([sender, { cameWith }]) =>
    cameWith.map((senderAlias) => ({ sender, senderAlias })),
  );
  const all = [...start.map(named), ...found.map(named), ...pairs];
  const behind = (name: string) =>
    new Set(all.flatMap((each) => (namesOf(each).includes(name) ? (lastingOf(each) ?? []) : [])));
  const lasting = new Set(start.flatMap((each) => known(each) ?? []));
  const strangers = new Set(start.filter(isOfStranger).map(({ sender }) => sender));
  // What waited before a person came with the number is in no conversation, and was not that person's.
  const isPlace = ({ id, sender }: Each) =>
    id !== undefined && records.has(sender) && !found.some((each) => each.id === id);
  const isBare = (each: Each) => whose(each) === undefined && !isOfStranger(each) && !isPlace(each);
  const bare = new Set(start.filter(isBare).map(({ sender }) => sender));
  if (lasting.size === 0) {
    const owners = new Set([...bare].flatMap((name) => [...behind(name)]));
    if (owners.size === 1) for (const owner of owners) lasting.add(owner);
  }
  const isTheirs = (name: string) =>
    lasting.has(name) || bare.has(name) || [...behind(name)].every((owner) => lasting.has(owner));
  const isOneOfTheirs = (each: C) => {
    if (start.some(({ id }) => id === each.id)) return true;
    if (isOwnerless(whose(each))) return false;
    return isOfStranger(each) ? strangers.has(each.sender) : isTheirs(whose(each) ?? each.sender);
  };
  const conversations = found.filter(isOneOfTheirs);
  const theirPairs = pairs.filter((each) => lasting.has(lastingOf(each) ?? ""));
  const mentions = [...start, ...conversations]
    .map(named)
    .concat(theirPairs)
    .flatMap(namesOf)
    .filter(Boolean);
  const own = [...new Set(mentions)].filter((name) => strangers.has(name) || isTheirs(name));
  const gone = new Set(
    own.filter((name) => [...behind(name)].every((owner) => owner === ERASED || lasting.has(owner))),
  );
  return {
    conversations,
    names: own.filter((name) => strangers.has(name) || !othersHaveUsed(records.get(name), lasting)),
    waitsUnder: own.filter((name) => !isPassing(name) || !records.has(name)),
    places: [...strangers].flatMap((name) => records.get(name)?.strangers ?? []),
    mentions,
    gone,
    borne: new Set(found.filter((each) => !isOneOfTheirs(each)).map(({ sender }) => sender)),
  };
}

/** The lasting name of its person; `OWNERLESS`; or undefined if only a number identifies it. */
function ownerOf({ id, ...names }: Each, records: NameRecords): string | undefined {
  return id === undefined ? lastingOf(names) : whoseIs({ ...names, id }, records);
}

/** A stranger has written with the number, or what was written with it is ownerless or another person's. */
function othersHaveUsed(record: NameRecord | undefined, lasting: ReadonlySet<string>): boolean {
  const { strangers = [], whose = {} } = record ?? {};
  return strangers.length > 0 || Object.values(whose).some((owner) => !lasting.has(owner));
}

/** Names and conversations that are removed from name records. */
export interface Erased {
  readonly names: ReadonlySet<string>;
  readonly conversationIds: ReadonlySet<string>;
  /** Names of conversations that stay. */
  readonly borne: ReadonlySet<string>;
}

/** A person by one of their conversations, or by a message that waits for one. */
export type NamedKey = ConversationKey & Each;

/** What goes with a person: conversations and places, also those where messages wait for their turn. */
export function erasureOf(
  { id }: NamedKey,
  { conversations, places, gone, borne }: Person<NamedConversation>,
  waiting: readonly string[],
): { readonly ids: readonly string[]; readonly erased: Erased } {
  const ids = [...conversations.map((each) => each.id), ...places, ...waiting];
  return { ids, erased: { names: gone, conversationIds: new Set(id ? [id, ...ids] : ids), borne } };
}

/** What is kept of a name after the erasure; undefined if nothing is. */
export function erasedFrom(name: string, record: NameRecord, gone: Erased): NameRecord | undefined {
  // It stays known that there was another person: or their conversations would count as the next owner's.
  const cameWith = record.cameWith.map((each) => (gone.names.has(each) ? ERASED : each));
  const whose = Object.entries(record.whose ?? {})
    .filter(([id]) => !gone.conversationIds.has(id))
    .map(([id, person]) => [id, gone.names.has(person) ? OWNERLESS : person] as const);
  const strangers = (record.strangers ?? []).filter((id) => !gone.conversationIds.has(id));
  const isOver =
    cameWith.every((each) => each === ERASED) &&
    whose.length + strangers.length === 0 &&
    !gone.borne.has(name);
  if (isOver || (gone.names.has(name) && !isPassing(name))) return undefined;
  return {
    cameWith,
    ...(whose.length > 0 && { whose: Object.fromEntries(whose) }),
    ...(strangers.length > 0 && { strangers }),
  };
}
