import type { Named, NamedConversation, NameRecord, NameRecords } from "../model/names.ts";
import { aliasOf, isPassing, lastingOf, namesOf, whoseIs } from "./names.ts";

/** What is known of a person whose conversations are looked for. */
export interface Person<C> {
  readonly conversations: readonly C[];
  /** Everything that is stored under these names belongs to the person. */
  readonly names: readonly string[];
  /** Names that must be looked up, too, before the result is complete. */
  readonly mentions: readonly string[];
  /** Names that only this person had: they are removed from the records of all names. */
  readonly gone: ReadonlySet<string>;
}

/**
 * Which of the conversations under these names, complete or not, belong to the same person. A number that two
 * people have had leads from neither of them to a conversation that only the number identifies: its owner
 * cannot be told.
 */
export function personIn<C extends NamedConversation>(
  start: readonly (Named & { readonly id?: string })[],
  found: readonly C[],
  records: NameRecords,
): Person<C> {
  type Each = Named & { readonly id?: string };
  const who = ({ id, ...names }: Each) =>
    (id === undefined ? lastingOf(names) : whoseIs({ ...names, id }, records)) || undefined;
  const isStrangers = (each: Each) =>
    who(each) === undefined && (records.get(each.sender)?.strangers?.includes(each.id ?? "") ?? false);
  const named = (each: Each): Named => ({ ...each, senderAlias: aliasOf(each) ?? who(each) });
  const pairs = [...records].flatMap(([sender, { cameWith }]) =>
    cameWith.map((senderAlias) => ({ sender, senderAlias })),
  );
  const all = [...start.map(named), ...found.map(named), ...pairs];
  const behind = (name: string) =>
    new Set(all.flatMap((each) => (namesOf(each).includes(name) ? (lastingOf(each) ?? []) : [])));
  const lasting = new Set(start.flatMap((each) => who(each) ?? []));
  const unknown = start.filter((each) => who(each) === undefined);
  const strangers = new Set(unknown.filter(isStrangers).map(({ sender }) => sender));
  const bare = new Set(unknown.filter((each) => !isStrangers(each)).map(({ sender }) => sender));
  if (lasting.size === 0) {
    const holders = new Set([...bare].flatMap((name) => [...behind(name)]));
    if (holders.size === 1) for (const holder of holders) lasting.add(holder);
  }
  const isTheirs = (name: string) =>
    lasting.has(name) || bare.has(name) || [...behind(name)].every((holder) => lasting.has(holder));
  const conversations = found.filter((each) =>
    isStrangers(each) ? strangers.has(each.sender) : isTheirs(who(each) ?? each.sender),
  );
  const theirPairs = pairs.filter((each) => lasting.has(lastingOf(each) ?? ""));
  const mentions = [...start, ...conversations]
    .map(named)
    .concat(theirPairs)
    .flatMap(namesOf)
    .filter(Boolean);
  const names = [...new Set(mentions.filter((name) => strangers.has(name) || isTheirs(name)))];
  const gone = new Set(
    names.filter((name) => [...behind(name)].every((holder) => holder === "" || lasting.has(holder))),
  );
  return { conversations, names, mentions, gone };
}

/** Names and conversations that are removed from name records. */
export interface Erased {
  readonly names: ReadonlySet<string>;
  readonly conversationIds: ReadonlySet<string>;
}

/** What is kept of a name after the erasure; undefined if nothing is. */
export function erasedFrom(name: string, record: NameRecord, gone: Erased): NameRecord | undefined {
  // It stays known that there was another person: or their conversations would count as the next holder's.
  const left = (each: string) => (gone.names.has(each) ? "" : each);
  const cameWith = record.cameWith.map(left);
  const whose = Object.entries(record.whose ?? {})
    .filter(([id]) => !gone.conversationIds.has(id))
    .map(([id, person]) => [id, left(person)] as const);
  const strangers = (record.strangers ?? []).filter((id) => !gone.conversationIds.has(id));
  const isOver = cameWith.every((each) => each === "") && whose.length + strangers.length === 0;
  if (isOver || (gone.names.has(name) && !isPassing(name))) return undefined;
  return {
    cameWith,
    ...(whose.length > 0 && { whose: Object.fromEntries(whose) }),
    ...(strangers.length > 0 && { strangers }),
  };
}
