import type { Named, NamedConversation, NameRecord, NameRecords } from "../model/names.ts";
import { aliasOf, isPassing, lastingOf, namesOf, whoseIs } from "./names.ts";

/** What is known of somebody whose conversations are looked for. */
export interface Person<C> {
  readonly conversations: readonly C[];
  /** What may be looked for under these names is theirs. */
  readonly names: readonly string[];
  /** Names that have to be looked at, too, before this can be relied upon. */
  readonly mentions: readonly string[];
  /** Names that were nobody else's: they are not to be found in what is kept of any name. */
  readonly gone: ReadonlySet<string>;
}

/**
 * Which of the conversations under these people's names, complete or not, are the same person's. A number that two have had leads from
 * neither of them to what only the number tells: nobody can say whose that was.
 */
export function personIn<C extends NamedConversation>(
  start: readonly Named[],
  found: readonly C[],
  records: NameRecords,
): Person<C> {
  const named = (each: C): Named => ({
    ...each,
    senderAlias: aliasOf(each) ?? (whoseIs(each, records) || undefined),
  });
  const pairs = [...records].flatMap(([sender, { cameWith }]) =>
    cameWith.map((senderAlias) => ({ sender, senderAlias })),
  );
  const all = [...start, ...found.map(named), ...pairs];
  const behind = (name: string) =>
    new Set(all.flatMap((each) => (namesOf(each).includes(name) ? (lastingOf(each) ?? []) : [])));
  const lasting = new Set(start.flatMap((each) => lastingOf(each) ?? []));
  const bare = new Set(start.flatMap((each) => (lastingOf(each) === undefined ? each.sender : [])));
  if (lasting.size === 0) {
    const holders = new Set([...bare].flatMap((name) => [...behind(name)]));
    if (holders.size === 1) for (const holder of holders) lasting.add(holder);
  }
  const isTheirs = (name: string) =>
    lasting.has(name) || bare.has(name) || [...behind(name)].every((holder) => lasting.has(holder));
  const conversations = found.filter((each) => isTheirs(lastingOf(named(each)) ?? each.sender));
  const theirPairs = pairs.filter((each) => lasting.has(lastingOf(each) ?? ""));
  const mentions = [...start, ...conversations.map(named), ...theirPairs].flatMap(namesOf).filter(Boolean);
  const names = [...new Set(mentions.filter(isTheirs))];
  const gone = new Set(
    names.filter((name) => [...behind(name)].every((holder) => holder === "" || lasting.has(holder))),
  );
  return { conversations, names, mentions, gone };
}

/** What is kept of a name when those are gone; undefined where nothing is. */
export function erasedFrom(
  name: string,
  { cameWith, whose = {} }: NameRecord,
  gone: ReadonlySet<string>,
): NameRecord | undefined {
  // That there was somebody stays known: else what they said would count as the other's.
  const left = (each: string) => (gone.has(each) ? "" : each);
  if (gone.has(name) && !isPassing(name)) return undefined;
  if (cameWith.every((each) => left(each) === "")) return undefined;
  const kept = Object.entries(whose).map(([id, person]) => [id, left(person)] as const);
  return { cameWith: cameWith.map(left), ...(kept.length > 0 && { whose: Object.fromEntries(kept) }) };
}
