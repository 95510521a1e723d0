import type { Draft } from "../model/draft.ts";
import type { Named, NamedConversation, NameRecords } from "../model/names.ts";
import type { StagedOutbound } from "../model/outbound.ts";
import type { Moved } from "../model/take.ts";
import {
  belongsToNumber,
  isOwnerless,
  isPassing,
  knownOwnerOf,
  lastOf,
  namesOf,
  passingOf,
  whoseIs,
} from "./names.ts";
import { ownerOfNumber } from "./person.ts";

/** The names whose records `addresseeOf` still needs. */
export function namesBehind(conversation: NamedConversation, records: NameRecords): string[] {
  const person = knownOwnerOf(conversation, records);
  const names = [...namesOf(conversation), person, lastOf(records, person ?? conversation.sender)];
  return names.filter((name) => name !== undefined).filter((name) => !records.has(name));
}

/** What is sent to a customer, or the messages that it answers. */
export interface Addressed {
  readonly draft?: Pick<Draft, "addressee"> | undefined;
  readonly outbound?: Pick<StagedOutbound, "addressee"> | undefined;
  readonly messages: readonly Named[];
}

/** The name by which a turn's customer is answered, if it may be another person's by now. */
export function nameAddressed({ draft, outbound, messages }: Addressed): string | undefined {
  if (draft) return draft.addressee;
  if (outbound) return outbound.addressee;
  const newest = messages.at(-1);
  return newest && passingOf(newest);
}

/** Nothing may be sent: what was written to one person would reach another. */
export function isPassedOn({ moved }: { readonly moved?: Moved | undefined }): boolean {
  return moved !== undefined && moved.to === undefined;
}

/** Undefined if the conversation's person still has this name. */
export function movedFrom(
  name: string,
  conversation: NamedConversation,
  records: NameRecords,
): Moved | undefined {
  const to = addresseeOf(conversation, records);
  if (to === name) return undefined;
  return to === undefined ? {} : { to };
}

/**
 * The name to which messages for the conversation's person are sent; undefined if it cannot be told who has
 * its number now.
 */
export function addresseeOf(conversation: NamedConversation, records: NameRecords): string | undefined {
  const { sender } = conversation;
  const person = whoseIs(conversation, records);
  if (isOwnerless(person)) return undefined;
  if (person === undefined)
    return belongsToNumber(conversation, records) && ownerOfNumber(sender, [], records) === undefined
      ? sender
      : undefined;
  const number = lastOf(records, person) ?? passingOf(conversation);
  return number !== undefined && ownerOfNumber(number, [conversation], records) === person ? number : person;
}

/** Its names, without a number that another person has come with since: it would name that person. */
export function ownNames(conversation: NamedConversation, records: NameRecords): string[] {
  const person = whoseIs(conversation, records);
  const isOwn = (number: string) =>
    person === undefined
      ? belongsToNumber(conversation, records)
      : (lastOf(records, number) ?? person) === person;
  return namesOf(conversation).filter((name) => !isPassing(name) || isOwn(name));
}
