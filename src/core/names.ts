import {
  ERASED,
  type NameChange,
  type Named,
  type NamedConversation,
  type NameRecord,
  type NameRecords,
  OWNERLESS,
} from "../model/names.ts";

const NUMBER_OR_MAIL = /^\+?\d+$|@/;

/** A record stays small, however many people share a mail address: a DynamoDB item has 400 KB. */
const NAMES_KEPT_MAX = 100;
const NAMES_BYTES_MAX = 60_000;
const CONVERSATIONS_KEPT_MAX = 1_000;
const CONVERSATIONS_BYTES_MAX = 100_000;

/** A telephone number or a mail address may pass to another person. Other names stay one person's. */
export function isPassing(name: string): boolean {
  return NUMBER_OR_MAIL.test(name);
}

/**
 * The lasting id that came beside the name that wrote. A number as id could be another customer's: it is
 * ignored, and so is an id beside a name that is lasting itself.
 */
export function userIdBeside(writer: string | undefined, id: string | undefined): string | undefined {
  if (!id || writer === undefined) return id || undefined;
  return isPassing(writer) && !isPassing(id) ? id : undefined;
}

/** The names that count: the alias only if one of the two is lasting and the other may pass on. */
export function namesOf(named: Named): string[] {
  const alias = aliasOf(named);
  return alias === undefined ? [named.sender] : [named.sender, alias];
}

/** Only of a number: what is kept of other names does not matter to a new conversation. */
export function numberRecord(name: string, records: NameRecords): NameRecord | undefined {
  return isPassing(name) ? records.get(name) : undefined;
}

export function lastingOf(named: Named): string | undefined {
  return namesOf(named).find((name) => !isPassing(name));
}

export function passingOf(named: Named): string | undefined {
  return namesOf(named).find(isPassing);
}

export function aliasOf({ sender, senderAlias }: Named): string | undefined {
  return senderAlias !== undefined && isPassing(sender) !== isPassing(senderAlias) ? senderAlias : undefined;
}

/** The name that this one came with last. Undefined, too, if that was an erased person's. */
export function lastOf(records: NameRecords, name: string | undefined): string | undefined {
  const last = name === undefined ? undefined : records.get(name)?.cameWith.at(-1);
  return last === ERASED ? undefined : last;
}

/**
 * Three kinds of answers: the lasting name of the conversation's person; `OWNERLESS` if it was a person's who
 * cannot be told any more (ask with `isOwnerless`); undefined if nothing but its number identifies it. Where
 * the last two are alike, ask `knownOwnerOf`: taken for each other elsewhere, one person's messages would
 * reach another.
 */
export function whoseIs(conversation: NamedConversation, records: NameRecords): string | undefined {
  return lastingOf(conversation) ?? records.get(conversation.sender)?.whose?.[conversation.id];
}

/** The lasting name of the conversation's person; undefined if it is ownerless, or has only a number. */
export function knownOwnerOf(conversation: NamedConversation, records: NameRecords): string | undefined {
  const owner = whoseIs(conversation, records);
  return isOwnerless(owner) ? undefined : owner;
}

export function isOwnerless(owner: string | undefined): boolean {
  return owner === OWNERLESS;
}

/**
 * Whether it began with nothing but its number, and no person has come with the number since: then it
 * belongs to the number's present owner.
 */
export function belongsToNumber(conversation: NamedConversation, records: NameRecords): boolean {
  if (whoseIs(conversation, records) !== undefined) return false;
  const { cameWith = [], strangers = [] } = records.get(conversation.sender) ?? {};
  return cameWith.length === 0 || strangers.includes(conversation.id);
}

/** Whether a search for this finds its person: by a part of any of their names. */
export function isNamedLike({ sender, senderAlias }: Named, part: string): boolean {
  return sender.includes(part) || senderAlias?.includes(part) === true;
}

/** A conversation in `whose` keeps its owner. New entries come last: the oldest are left out. */
export function changedName(standing: NameRecord | undefined, change: NameChange): NameRecord {
  const { came, left, before = left === undefined ? [] : [left], whose, stranger } = change;
  const record = standing ?? { cameWith: before };
  const others = record.cameWith.filter((name) => name !== came);
  const cameWith = came === undefined ? record.cameWith : latestNames([...others, came]);
  // A stranger before a person's time with the number is not the stranger after it.
  const isOver = came !== undefined || (left !== undefined && record.cameWith.at(-1) === left);
  const strangers = record.strangers ?? [];
  const ownerless = isOver ? strangers.map((id) => [id, OWNERLESS] as const) : [];
  const found = [...ownerless, ...Object.entries(whose ?? {})];
  const added = found.filter(([id]) => record.whose?.[id] === undefined);
  return joined(cameWith, { ...record.whose, ...Object.fromEntries(added) }, [
    ...(isOver ? [] : strangers),
    ...(stranger ? [stranger.id] : []),
  ]);
}

/** Another person has become the conversation's owner since it was found, or has come with the number. */
export function isTaken(
  standing: NameRecord | undefined,
  { whose, stranger }: NameChange,
  conversationId: string,
): boolean {
  if (stranger) return standing?.cameWith.at(-1) !== stranger.after;
  const [is, wanted] = [standing?.whose?.[conversationId], whose?.[conversationId]];
  return wanted !== undefined && !isOwnerless(wanted) && is !== undefined && is !== wanted;
}

/** Joins what two stores kept of one name: the record that stands here is the newer one. */
export function mergedNames(standing: NameRecord, imported: NameRecord): NameRecord {
  const earlier = imported.cameWith.filter((name) => !standing.cameWith.includes(name));
  const strangers = imported.strangers ?? [];
  const isOver = standing.cameWith.at(-1) !== imported.cameWith.at(-1);
  const ownerless = Object.fromEntries(isOver ? strangers.map((id) => [id, OWNERLESS]) : []);
  return joined(
    latestNames([...earlier, ...standing.cameWith]),
    { ...ownerless, ...imported.whose, ...standing.whose },
    [...strangers, ...(standing.strangers ?? [])],
  );
}

function joined(
  cameWith: readonly string[],
  whose: Readonly<Record<string, string>>,
  strangers: readonly string[],
): NameRecord {
  const theirs = strangers.filter((id) => whose[id] === undefined);
  return { cameWith, ...withWhose(whose), ...withStrangers(theirs) };
}

function latestNames(names: readonly string[]): string[] {
  const latest = names.slice(-NAMES_KEPT_MAX);
  return latest.slice(-countWithin(NAMES_BYTES_MAX, latest));
}

/** If the owner's name does not fit, the conversation is ownerless: that still keeps other people out. */
function withWhose(whose: NonNullable<NameRecord["whose"]>): Pick<NameRecord, "whose"> {
  const ids = latestConversations(Object.keys(whose));
  const named = countWithin(
    NAMES_BYTES_MAX,
    ids.map((id) => whose[id] ?? OWNERLESS),
  );
  const entries = ids.map((id, at) => [id, at < ids.length - named ? OWNERLESS : (whose[id] ?? OWNERLESS)]);
  return entries.length === 0 ? {} : { whose: Object.fromEntries(entries) };
}

function withStrangers(ids: readonly string[]): Pick<NameRecord, "strangers"> {
  const strangers = latestConversations([...new Set(ids)]);
  return strangers.length === 0 ? {} : { strangers };
}

function latestConversations(ids: readonly string[]): string[] {
  const latest = ids.slice(-CONVERSATIONS_KEPT_MAX);
  return latest.slice(-countWithin(CONVERSATIONS_BYTES_MAX, latest));
}

/** How many of the last texts fit into `bytesMax`. The last one does: a name has 1,000 characters at most. */
function countWithin(bytesMax: number, texts: readonly string[]): number {
  let bytes = 0;
  const tooFar = texts.toReversed().findIndex((text) => {
    bytes += Buffer.byteLength(text);
    return bytes > bytesMax;
  });
  return tooFar === -1 ? texts.length : tooFar;
}
