import type { NamedConversation, NameRecord, NameRecords } from "../model/names.ts";
import type { Moved } from "../model/take.ts";
import { type Addressed, movedFrom, nameAddressed, namesBehind } from "./addressee.ts";
import type { Lookup } from "./lookup.ts";
import { isClosed } from "./person.ts";

/** Asks for the records of names at one address. */
export type RecordLookup<Result> = Lookup<readonly string[], NameRecords, Result>;

export const NOTHING_KEPT: NameRecords = new Map();

/** The records that tell where a conversation's person can be reached. */
export function* recordsBehind(conversation: NamedConversation): RecordLookup<NameRecords> {
  let records = NOTHING_KEPT;
  for (;;) {
    const names = namesBehind(conversation, records);
    const found = names.length === 0 ? NOTHING_KEPT : yield names;
    if (found.size === 0) return records;
    records = new Map([...records, ...found]);
  }
}

/**
 * Set if the customer no longer has the number to which this is sent. Other names stay one person's, and cost
 * no read.
 */
export function* movedSince(
  conversation: NamedConversation,
  content: Addressed,
): RecordLookup<Moved | undefined> {
  const name = nameAddressed(content);
  return name === undefined ? undefined : movedFrom(name, conversation, yield* recordsBehind(conversation));
}

/** Whether a conversation has this id, or whether anything waits or is kept under it. */
export interface IdQuestion {
  readonly asks: "is-made" | "is-used";
  readonly id: string;
}

/** What is known of a key before its next conversation. */
export interface BeforeNext {
  /** Of the latest conversation, complete or not. */
  readonly latestId?: string | undefined;
  /** What is kept of the number under which the next one is made. */
  readonly record?: NameRecord | undefined;
  /** The next one is no person's: it must not be where a stranger's messages wait. */
  readonly isOwnerless?: boolean | undefined;
}

/**
 * The id that a key's next conversation will have. Ids under which something of a number's former owners
 * waits, or is kept, are left out.
 */
export function* freeId(
  idAfter: (previousId: string | undefined) => string,
  { latestId, record, isOwnerless = false }: BeforeNext,
): Lookup<IdQuestion, boolean, string> {
  const others = (isOwnerless && record?.strangers) || [];
  let id = idAfter(latestId);
  while (record && (others.includes(id) || (yield* isShut(id, record)))) id = idAfter(id);
  return id;
}

function* isShut(id: string, record: NameRecord): Lookup<IdQuestion, boolean, boolean> {
  if (isClosed(id, record, false) || (yield { asks: "is-made", id })) return true;
  return isClosed(id, record, true) && (yield { asks: "is-used", id });
}
