import {
  ERASED,
  type Named,
  type NamedConversation,
  type NameRecord,
  type NameRecords,
  OWNERLESS,
} from "../model/names.ts";
import { isOwnerless, isPassing, lastingOf, whoseIs } from "./names.ts";
import { canonicalAddress } from "./own-addresses.ts";
import { ownerOfNumber } from "./person.ts";

/** Whom a name stands for, as far as is known: where a search for the person starts. */
export interface Bearer {
  readonly starts: readonly (Named & { readonly id?: string })[];
  /** Other people who had the number before, or after: theirs is not the bearer's. */
  readonly others: readonly string[];
}

/**
 * Who is meant by a name alone. A lasting name is one person's. A number is its present owner's, and so is
 * what only the number identifies: the number is all that is left to ask for it by. What is known to be
 * another's, who had the number before, is not.
 */
export function bearerOf<C extends NamedConversation & { readonly taskComplete: boolean }>(
  name: string,
  found: readonly C[],
  records: NameRecords,
): Bearer {
  if (!isPassing(name)) return { starts: [{ sender: name }], others: [] };
  const active = found.filter(({ taskComplete }) => !taskComplete);
  const had = ownersOf(name, found, records);
  const owner = ownerOfNumber(name, active, records) ?? onlyOwner(name, had, records);
  const others = had.filter((each) => each !== owner);
  const bare = found.filter((each) => each.sender === name && isBare(each, records));
  return { starts: [...selfOf(name, owner, others), ...bare], others };
}

/** All who are known to have had the number. */
function ownersOf(name: string, found: readonly NamedConversation[], records: NameRecords): string[] {
  const { cameWith = [], whose = {} } = records.get(name) ?? {};
  const bearers = found.flatMap((each) => lastingOf(each) ?? []);
  const named = [...cameWith, ...Object.values(whose), ...bearers];
  return [...new Set(named.filter((each) => each !== ERASED && each !== OWNERLESS))];
}

/** Also one who has left the number, while no other person has written with it. */
function onlyOwner(name: string, had: readonly string[], records: NameRecords): string | undefined {
  const { strangers = [], cameWith = [] } = records.get(name) ?? {};
  return had.length === 1 && strangers.length === 0 && !cameWith.includes(ERASED) ? had[0] : undefined;
}

/** Without an owner, a number that others have had stands for no person by itself. */
function selfOf(name: string, owner: string | undefined, others: readonly string[]): Named[] {
  if (owner !== undefined) return [{ sender: owner, senderAlias: name }];
  return others.length === 0 ? [{ sender: name }] : [];
}

function isBare(conversation: NamedConversation, records: NameRecords): boolean {
  const owner = whoseIs(conversation, records);
  return owner === undefined || isOwnerless(owner);
}

/** What providers and other systems write before a number. */
const PREFIX = "whatsapp:";

/** How a customer's address may be written in a store, the one that was given first. */
export function spellingsOf(customer: string): string[] {
  const given = customer.trim();
  const bare = canonicalAddress(given);
  if (!/^\d+$/.test(bare)) return [...new Set([given, bare])];
  return [...new Set([given, `+${bare}`, bare, `${PREFIX}+${bare}`, `${PREFIX}${bare}`])];
}

/** Where names are telephone numbers, in one spelling or another. */
export const TELEPHONE = "telephone";
const TELEPHONE_TYPES: readonly string[] = ["whatsapp", "sms"];

/**
 * Among which types of channels a name is one person's: those of telephones, of which these are more than we
 * know, together; every other alone, since a visitor of a page takes what name they like.
 */
export function realmOf(type: string, numbered: ReadonlySet<string>): string {
  return TELEPHONE_TYPES.includes(type) || numbered.has(type) ? TELEPHONE : `type ${type}`;
}

export function isNumber(name: string): boolean {
  return /^\d+$/.test(canonicalAddress(name));
}

/**
 * The names by which a person at one place may be found at another: theirs. A number in every spelling, where
 * it is one; letter by letter elsewhere.
 */
export function ownNamesGiven(
  { names, others }: { readonly names: readonly string[]; readonly others: readonly string[] },
  realm: string,
): string[] {
  const own = others.length > 0 ? names.filter((name) => !isPassing(name)) : names;
  return realm === TELEPHONE && others.length === 0 ? own.flatMap(spellingsOf) : [...own];
}

/** A name's record as it is shown: ids would not survive as names of fields. */
export function shownName(name: string, { whose = {}, ...record }: NameRecord): object {
  const owners = Object.entries(whose).map(([conversationId, owner]) => ({ conversationId, owner }));
  return { name, ...record, ...(owners.length > 0 && { owners }) };
}
