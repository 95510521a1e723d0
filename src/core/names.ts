import type { Named, NamedConversation, NameRecord, NameRecords } from "../model/names.ts";

const NUMBER_OR_MAIL = /^\+?\d+$|@/;

/** A record is small, however many share a mail address. */
const NAMES_KEPT_MAX = 100;

/** A telephone number, with or without `+`, or a mail address: it may pass to somebody else. Whatever else is a name stays one person's. */
export function isPassing(name: string): boolean {
  return NUMBER_OR_MAIL.test(name);
}

/** The names that count: a second one only between a name that stays and one that may pass on. */
export function namesOf(named: Named): string[] {
  const alias = aliasOf(named);
  return alias === undefined ? [named.sender] : [named.sender, alias];
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

/** The name that this one came with last. */
export function lastOf(records: NameRecords, name: string | undefined): string | undefined {
  return (name !== undefined && records.get(name)?.cameWith.at(-1)) || undefined;
}

/** The lasting name of a conversation's person; `""` where it is nobody's any more. */
export function whoseIs(conversation: NamedConversation, records: NameRecords): string | undefined {
  return lastingOf(conversation) ?? records.get(conversation.sender)?.whose?.[conversation.id];
}

/** It came with this name now. */
export function withName(record: NameRecord, name: string, whose: NameRecord["whose"] = {}): NameRecord {
  const cameWith = [...record.cameWith.filter((each) => each !== name), name].slice(-NAMES_KEPT_MAX);
  const all = Object.entries({ ...record.whose, ...whose }).slice(-NAMES_KEPT_MAX);
  return { cameWith, ...(all.length > 0 && { whose: Object.fromEntries(all) }) };
}
