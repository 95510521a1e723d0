import type { Named, NamedConversation, NameRecords } from "../model/names.ts";
import { aliasOf, isPassing, lastingOf, lastOf, namesOf, passingOf, whoseIs, withName } from "./names.ts";

/** Whose conversation a message belongs to, and what is learnt of its person's names. */
export interface Choice<C> {
  readonly found?: C;
  /** Another name of the person, to be noted with the conversation that was found, or with the one that is made. */
  readonly learns?: string;
  /** What is to be kept of the message's names from now on; empty where it is known already. */
  readonly records: NameRecords;
  /** Somebody else has come with this name now: the conversations of its holder no longer bear it. */
  readonly passedOn?: { readonly name: string; readonly from: string };
}

/** Whoever came with the number last: whether they have it still stands with their own name. */
export function alsoAskedFor(names: Named, records: NameRecords): string[] {
  const last = lastOf(records, passingOf(names));
  return last === undefined || records.has(last) || namesOf(names).includes(last) ? [] : [last];
}

/** Under which other names conversations of whoever writes may be. */
export function otherNamesOf(names: Named, records: NameRecords): string[] {
  const person = lastingOf(names) ?? lastOf(records, passingOf(names));
  const known = person === undefined ? [] : [person, ...(records.get(person)?.cameWith ?? [])];
  return known.filter((name) => name !== "" && !namesOf(names).includes(name));
}

/**
 * Chooses among the active conversations that have any of the message's names, or that of the number's holder, newest first. A name that
 * stays says who somebody is. A number alone belongs to whoever came with it last, unless they have come with another since: then to
 * nobody, and what came with nothing but the number before is nobody's either.
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
  const other = isPassing(found?.sender ?? names.sender) ? person : passing;
  const isKnown = found && (aliasOf(found) === other || whoseIs(found, records) === other);
  const choice = { ...(found && { found }), ...(other !== undefined && !isKnown && { learns: other }) };
  if (lasting === undefined || passing === undefined || areTogether(lasting, passing, records))
    return { ...choice, records: new Map() };
  const ofPassing = records.get(passing) ?? { cameWith: holder === undefined ? [] : [holder] };
  const ofLasting = records.get(lasting) ?? { cameWith: theirs.flatMap(namesOf).filter(isPassing) };
  return {
    ...choice,
    records: new Map([
      [passing, withName(ofPassing, lasting, whoseNow(bare, found, lasting))],
      [lasting, withName(ofLasting, passing)],
    ]),
    ...(holder !== undefined && holder !== lasting && { passedOn: { name: passing, from: holder } }),
  };
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

function areTogether(lasting: string, passing: string, records: NameRecords): boolean {
  return lastOf(records, passing) === lasting && lastOf(records, lasting) === passing;
}

/** The one that was found is theirs from now on; of the others that the number names, nobody can say whose they were. */
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

/** By which name a conversation's person is to be written to; undefined where nobody can say who has its number now. */
export function addresseeOf(conversation: NamedConversation, records: NameRecords): string | undefined {
  const { sender } = conversation;
  const person = whoseIs(conversation, records);
  if (person === "") return undefined;
  if (person === undefined) return holderOf(sender, [], records) === undefined ? sender : undefined;
  const number = lastOf(records, person) ?? passingOf(conversation);
  return number !== undefined && holderOf(number, [conversation], records) === person ? number : person;
}
