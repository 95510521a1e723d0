import type { NameChange, Named, NamedConversation, NameRecords } from "../model/names.ts";
import { aliasOf, isPassing, lastingOf, lastOf, namesOf, passingOf, whoseIs } from "./names.ts";

/** By name. */
export type NameChanges = ReadonlyMap<string, NameChange>;

/** Whose conversation a message belongs to, and what is learnt of its person's names. */
export interface Choice<C> {
  readonly found?: C;
  /** By which name a new one is made: the one that stays, where it is known. */
  readonly sender: string;
  /** Another name of the person, to be noted with the conversation that was found, or with the one that is made. */
  readonly learns?: string;
  /** What changes in what is kept of names once the message is in this conversation, or is refused; empty where all is known. */
  readonly keeps: (conversationId?: string) => NameChanges;
  /** Another person has come with this name now: the conversations of its holder no longer bear it. */
  readonly passedOn?: { readonly name: string; readonly from: string };
}

const NOTHING: NameChanges = new Map();

/** Who came with the number last: whether they have it still stands with their own name. */
export function alsoAskedFor(names: Named, records: NameRecords): string[] {
  const last = lastOf(records, passingOf(names));
  return last === undefined || records.has(last) || namesOf(names).includes(last) ? [] : [last];
}

/** Under which other names conversations of the person who writes may be. */
export function otherNamesOf(names: Named, records: NameRecords): string[] {
  const person = lastingOf(names) ?? lastOf(records, passingOf(names));
  const known = person === undefined ? [] : [person, ...(records.get(person)?.cameWith ?? [])];
  return known.filter((name) => name !== "" && !namesOf(names).includes(name));
}

/**
 * Chooses among the active conversations that have any of the message's names, or that of the number's holder, newest first. A name that
 * stays says who a person is. A number alone belongs to whoever came with it last, unless they have come with another since: then to
 * no known person, and what came with nothing but the number before is theirs no more.
 */
export function chooseConversation<C extends NamedConversation>(
  names: Named,
  active: readonly C[],
  records: NameRecords,
): Choice<C> {
  const [lasting, passing] = [lastingOf(names), passingOf(names)];
  const holder = passing === undefined ? undefined : holderOf(passing, active, records);
  const person = lasting ?? holder;
  const bare = active.filter((each) => each.sender === passing && whoseIs(each, records) === undefined);
  const theirs = person === undefined ? [] : active.filter((each) => whoseIs(each, records) === person);
  const found = theirs[0] ?? (holder === undefined ? bare[0] : undefined);
  const sender = person ?? names.sender;
  const other = isPassing(found?.sender ?? sender) ? person : passing;
  const isKnown = found && (aliasOf(found) === other || whoseIs(found, records) === other);
  const choice = {
    sender,
    ...(found && { found }),
    ...(other !== undefined && !isKnown && { learns: other }),
  };
  if (lasting !== undefined && passing !== undefined) {
    const meeting = { lasting, passing, holder, whose: whoseNow(bare, found, lasting), theirs };
    return { ...choice, ...cameTogether(meeting, records) };
  }
  const isNew = person === undefined && !found;
  return { ...choice, keeps: isNew ? newcomer(sender, records).keeps : () => NOTHING };
}

interface Meeting {
  readonly lasting: string;
  readonly passing: string;
  readonly holder: string | undefined;
  readonly whose: Readonly<Record<string, string>>;
  readonly theirs: readonly NamedConversation[];
}

function cameTogether(
  { lasting, passing, holder, whose, theirs }: Meeting,
  records: NameRecords,
): Pick<Choice<never>, "keeps" | "passedOn"> {
  if (lastOf(records, passing) === lasting && lastOf(records, lasting) === passing)
    return { keeps: () => NOTHING };
  const former = holder === lasting ? undefined : holder;
  const changes = new Map<string, NameChange>([
    // First: where the number's conversation turns out to be another's, nothing else is written.
    [passing, { came: lasting, whose, ...(holder !== undefined && { before: [holder] }) }],
    [lasting, { came: passing, before: theirs.flatMap(namesOf).filter(isPassing) }],
  ]);
  if (former === undefined) return { keeps: () => changes };
  // Its conversation no longer bears the number: without a record nothing would lead from one to the other.
  changes.set(former, { before: [passing] });
  return { keeps: () => changes, passedOn: { name: passing, from: former } };
}

/** A conversation that begins with nothing but this name. */
export function newcomer(name: string, records: NameRecords): Choice<never> {
  const isKnown = records.has(name);
  const keeps = (id?: string): NameChanges =>
    isKnown && id !== undefined ? new Map([[name, { stranger: id }]]) : NOTHING;
  return { sender: name, keeps };
}

/**
 * Of messages that waited under this name, whoever has it by now: its active conversation, or a new one. Where another has come with the number
 * since, what began with nothing else is answered, and is nobody's to go on with.
 */
export function chooseByName<C extends NamedConversation>(
  name: string,
  active: readonly C[],
  records: NameRecords,
): Choice<C> {
  const isTheirs = (each: C) =>
    isPassing(name)
      ? each.sender === name && whoseIs(each, records) === undefined
      : whoseIs(each, records) === name;
  const found = active.find(isTheirs);
  const isAnothers = isPassing(name) && holderOf(name, [], records) !== undefined;
  if (found && !isAnothers) return { found, sender: name, keeps: () => NOTHING };
  if (!isAnothers) return newcomer(name, records);
  return {
    sender: name,
    keeps: (id) => (id === undefined ? NOTHING : new Map([[name, { whose: { [id]: "" } }]])),
  };
}

/** Names under which these messages may have waited: their own, and those that the number had come with. */
export function namesWaiting(messages: readonly Named[], records: NameRecords): string[] {
  const own = messages.flatMap(namesOf);
  const met = own.flatMap((name) => records.get(name)?.cameWith ?? []);
  return [...new Set([...own, ...met])].filter((name) => name !== "");
}

/** Who came with it last, and with no other since. Without a record, as older versions left it, by what the conversations bear. */
function holderOf(
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

/** The one that was found is theirs from now on; of the others that the number names, it cannot be told whose they were. */
function whoseNow(
  bare: readonly NamedConversation[],
  found: NamedConversation | undefined,
  lasting: string,
): Record<string, string> {
  return Object.fromEntries(bare.map((each) => [each.id, each === found ? lasting : ""]));
}

/** Of which names `addresseeOf` has to know. */
export function namesBehind(conversation: NamedConversation, records: NameRecords): string[] {
  const person = whoseIs(conversation, records) || undefined;
  return [...namesOf(conversation), person, lastOf(records, person ?? conversation.sender)].filter(
    (name) => name !== undefined,
  );
}

/** By which name a conversation's person is to be written to; undefined where it cannot be told who has its number now. */
export function addresseeOf(conversation: NamedConversation, records: NameRecords): string | undefined {
  const { sender } = conversation;
  const person = whoseIs(conversation, records);
  if (person === "") return undefined;
  if (person === undefined) return holderOf(sender, [], records) === undefined ? sender : undefined;
  const number = lastOf(records, person) ?? passingOf(conversation);
  return number !== undefined && holderOf(number, [conversation], records) === person ? number : person;
}
