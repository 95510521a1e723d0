import type { Conversation } from "../model/conversation.ts";
import {
  ERASED,
  type NameChange,
  type Named,
  type NamedConversation,
  type NameRecord,
  type NameRecords,
  OWNERLESS,
} from "../model/names.ts";
import {
  aliasOf,
  belongsToNumber,
  isPassing,
  knownOwnerOf,
  lastingOf,
  lastOf,
  namesOf,
  numberRecord,
  passingOf,
  whoseIs,
} from "./names.ts";
import type { ConversationState } from "./state.ts";

/** By name. */
export type NameChanges = ReadonlyMap<string, NameChange>;

/** Whose conversation a message belongs to, and what is learnt of that person's names. */
export interface Choice<C> {
  readonly found?: C;
  /** The name under which a new conversation is made: the lasting one, if it is known. */
  readonly sender: string;
  /** Another name of the person, to be stored with the conversation that was found or is made. */
  readonly learns?: string;
  /** What changes in the name records once the message is staged here or refused; empty if all is known. */
  readonly keeps: (conversationId?: string) => NameChanges;
  /**
   * Set where a number alone does not prove who wrote, for it has come with user ids: its only owner is
   * `likely`; if it has passed on, or was left, it is `unknown` who had it then.
   */
  readonly writer?: "likely" | "unknown";
  /** A new one is a stranger's, who has the number since its owner left it. */
  readonly isOfStranger?: true;
  /** A new one is ownerless: no later message joins it. */
  readonly isOwnerless?: true;
  /** Another person uses this name now: the conversations of its former owner no longer bear it. */
  readonly passedOn?: { readonly name: string; readonly from: string };
}

const NOTHING: NameChanges = new Map();

/** The last owner of the number: their own record says whether they still have it. */
export function alsoAskedFor(names: Named, records: NameRecords): string[] {
  const last = lastOf(records, passingOf(names));
  return last === undefined || records.has(last) || namesOf(names).includes(last) ? [] : [last];
}

/** Other names under which the sender may have conversations. */
export function otherNamesOf(names: Named, records: NameRecords): string[] {
  const person = lastingOf(names) ?? lastOf(records, passingOf(names));
  const known = person === undefined ? [] : [person, ...(records.get(person)?.cameWith ?? [])];
  return known.filter((name) => name !== ERASED && !namesOf(names).includes(name));
}

/**
 * Chooses among the active conversations, newest first, that bear any of the message's names or the name of
 * the number's owner. A lasting name identifies a person. A number alone belongs to the last person who came
 * with it, unless that person has come with another number since. Then it belongs to no known person, and
 * conversations that only the number identifies are no longer that person's.
 */
export function chooseConversation<C extends NamedConversation>(
  names: Named,
  active: readonly C[],
  records: NameRecords,
): Choice<C> {
  const [lasting, passing] = [lastingOf(names), passingOf(names)];
  const owner = passing === undefined ? undefined : ownerOfNumber(passing, active, records);
  const person = lasting ?? owner;
  const bare = active.filter((each) => each.sender === passing && whoseIs(each, records) === undefined);
  const theirs = person === undefined ? [] : active.filter((each) => whoseIs(each, records) === person);
  const isFree = owner === undefined && !(lasting !== undefined && wasOwned(passing, lasting, records));
  const found = theirs[0] ?? (isFree ? bare.find((each) => belongsToNumber(each, records)) : undefined);
  const sender = person ?? names.sender;
  const other = isPassing(found?.sender ?? sender) ? person : passing;
  const isKnown = found && (aliasOf(found) === other || whoseIs(found, records) === other);
  const choice = {
    sender,
    ...(found && { found }),
    ...(other !== undefined && !isKnown && { learns: other }),
  };
  if (lasting !== undefined && passing !== undefined) {
    const meeting = { lasting, passing, owner, whose: whoseNow(bare, found, lasting), theirs };
    return { ...choice, ...cameTogether(meeting, records) };
  }
  const isNew = person === undefined && !found;
  const writer = lasting === undefined && passing !== undefined ? writerOf(passing, owner, records) : {};
  return isNew ? { ...newcomer(sender, records), ...writer } : { ...choice, ...writer, keeps: () => NOTHING };
}

/** Then who wrote with nothing but the number since is a stranger, and may be another than who comes now. */
function wasOwned(number: string | undefined, comes: string, records: NameRecords): boolean {
  const owners = records.get(number ?? "")?.cameWith ?? [];
  const numbers = records.get(comes)?.cameWith ?? [];
  return owners.length > 0 || numbers.includes(number ?? "");
}

function writerOf(
  passing: string,
  owner: string | undefined,
  records: NameRecords,
): Pick<Choice<never>, "writer"> {
  const owners = records.get(passing)?.cameWith.length ?? (owner === undefined ? 0 : 1);
  if (owners === 0) return {};
  return { writer: owners === 1 && owner !== undefined ? "likely" : "unknown" };
}

/** Whether a message of a provider's list is left, since its writer is not as well known as was asked for. */
export function isUnattributed(
  asked: "certain" | "likely" | undefined,
  { writer }: Pick<Choice<never>, "writer">,
): boolean {
  if (asked === undefined || writer === undefined) return false;
  return asked === "certain" || writer === "unknown";
}

interface Meeting {
  readonly lasting: string;
  readonly passing: string;
  readonly owner: string | undefined;
  readonly whose: Readonly<Record<string, string>>;
  readonly theirs: readonly NamedConversation[];
}

function cameTogether(
  { lasting, passing, owner, whose, theirs }: Meeting,
  records: NameRecords,
): Pick<Choice<never>, "keeps" | "passedOn"> {
  if (lastOf(records, passing) === lasting && lastOf(records, lasting) === passing)
    return { keeps: () => NOTHING };
  const former = owner === lasting ? undefined : owner;
  const before = theirs.flatMap(namesOf).filter(isPassing);
  const left = [lastOf(records, lasting) ?? before].flat().filter((number) => number !== passing);
  const changes = new Map<string, NameChange>([
    // First: if the number's conversation turns out to be another person's, nothing else is written.
    [passing, { came: lasting, whose, ...(owner !== undefined && { before: [owner] }) }],
    ...left.map((number) => [number, { left: lasting }] as const),
    [lasting, { came: passing, before }],
  ]);
  if (former === undefined) return { keeps: () => changes };
  // The former owner's conversation no longer bears the number: only a record still links the two.
  changes.set(former, { before: [passing] });
  return { keeps: () => changes, passedOn: { name: passing, from: former } };
}

/** A conversation that begins with nothing but this name. */
function newcomer(name: string, records: NameRecords): Choice<never> {
  const record = numberRecord(name, records);
  if (!record) return { sender: name, keeps: () => NOTHING };
  const after = record.cameWith.at(-1);
  const isNew = (id: string) => !record.strangers?.includes(id);
  return {
    sender: name,
    isOfStranger: true,
    keeps: (id) => (id !== undefined && isNew(id) ? new Map([[name, { stranger: { id, after } }]]) : NOTHING),
  };
}

/**
 * For messages that waited at this place under this name, no matter whose it is now: the name's active
 * conversation, or a new one. If a person has come with the number since, they get a conversation of their
 * own, which belongs to no person.
 */
export function chooseByName<C extends NamedConversation>(
  name: string,
  waitingId: string,
  active: readonly C[],
  records: NameRecords,
): Choice<C> {
  const isPresent = (each: NamedConversation) => each.sender === name && belongsToNumber(each, records);
  if (isPassing(name) && !isPresent({ sender: name, id: waitingId })) return ownerless(name);
  const isTheirs = (each: C) => (isPassing(name) ? isPresent(each) : whoseIs(each, records) === name);
  const found = active.find(isTheirs);
  return found ? { found, sender: name, keeps: () => NOTHING } : newcomer(name, records);
}

function ownerless(name: string): Choice<never> {
  return {
    sender: name,
    isOwnerless: true,
    keeps: (id) => (id === undefined ? NOTHING : new Map([[name, { whose: { [id]: OWNERLESS } }]])),
  };
}

/**
 * Whether the number's next conversation may not have this id, because something of another time is under it.
 * `isUsed` tells whether anything is.
 */
export function isClosed(id: string, record: NameRecord, isUsed: boolean): boolean {
  return record.whose?.[id] !== undefined || (isUsed && !record.strangers?.includes(id));
}

/** Whether on-turn messages have yet to find their record: no turn began, and no record stands. */
export function lacksRecord(
  { draft, works }: Pick<ConversationState, "draft" | "works">,
  standing: Pick<Conversation, "taskComplete"> | undefined,
): boolean {
  const isStarted = draft !== undefined || works.length > 0;
  return !isStarted && (standing === undefined || standing.taskComplete);
}

/** For messages that wait for no person's next conversation any more. */
function nameOfWaiting(messages: readonly Named[]): string {
  return messages.map(lastingOf).find(Boolean) ?? messages.flatMap(namesOf)[0]!;
}

/**
 * The name under which waiting messages are looked up: of the person whose complete conversation they wait
 * in, or else the one that was found for the place where they wait.
 */
export function nameWaitingUnder(
  messages: readonly Named[],
  {
    complete,
    records,
    found,
  }: { complete: NamedConversation | undefined; records: NameRecords; found: string | undefined },
): string {
  const name = complete ? (knownOwnerOf(complete, records) ?? complete.sender) : found;
  return name || nameOfWaiting(messages);
}

/** Names under which these messages may have waited: their own, and those that their numbers came with. */
export function namesWaiting(messages: readonly Named[], records: NameRecords): string[] {
  const own = messages.flatMap(namesOf);
  const met = own.flatMap((name) => records.get(name)?.cameWith ?? []);
  return [...new Set([...own, ...met])].filter((name) => name !== ERASED);
}

/**
 * The last person who came with the number and with no other since. Older versions left no record: then the
 * conversations' own names decide.
 */
export function ownerOfNumber(
  passing: string,
  active: readonly NamedConversation[],
  records: NameRecords,
): string | undefined {
  if (!records.has(passing)) {
    const bearer =
      active.find((each) => aliasOf(each) === passing) ?? active.find(({ sender }) => sender === passing);
    return bearer && lastingOf(bearer);
  }
  const last = lastOf(records, passing);
  if (last === undefined) return undefined;
  return !records.has(last) || lastOf(records, last) === passing ? last : undefined;
}

/** The conversation that was found is theirs from now on. The owner of the number's others is unknown. */
function whoseNow(
  bare: readonly NamedConversation[],
  found: NamedConversation | undefined,
  lasting: string,
): Record<string, string> {
  return Object.fromEntries(bare.map((each) => [each.id, each === found ? lasting : OWNERLESS]));
}
