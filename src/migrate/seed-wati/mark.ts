import { isoOf } from "../../core/instant.ts";
import type { Conversation } from "../../model/conversation.ts";
import { isObject } from "../../schema/is-object.ts";
import { seedInstant } from "../seed-time.ts";

/** The attribute of a conversation that says which rows of a buffer were moved into it. */
const MARK = "seed_wati";

/**
 * Ids of messages are remembered for a day, and a file may be read again after a year: so the conversation
 * itself notes what was moved. `moving` is written before, `moved` after: a process that was killed in
 * between leaves rows of which only the ids tell, as long as they are remembered.
 */
export interface Mark {
  readonly moved: readonly string[];
  readonly moving: readonly string[];
  readonly atMs: number;
}

export const NO_MARK: Mark = { moved: [], moving: [], atMs: 0 };

export function markOf(conversation: Pick<Conversation, "attributes"> | undefined): Mark | undefined {
  const found = conversation?.attributes[MARK];
  if (!isObject(found)) return undefined;
  return { moved: textsIn(found.moved), moving: textsIn(found.moving), atMs: seedInstant(found.at) ?? 0 };
}

export function withMark(
  attributes: Readonly<Record<string, unknown>>,
  { moved, moving, atMs }: Mark,
): Readonly<Record<string, unknown>> {
  const at = isoOf(atMs);
  return { ...attributes, [MARK]: { moved, ...(moving.length > 0 && { moving }), at } };
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

export interface Sorted {
  /** Moved by an earlier run. */
  readonly before: readonly string[];
  /** May be moved: new, or its id tells whether it was. */
  readonly free: readonly string[];
  /** May have been answered, at a time of which no ids are known any more. */
  readonly uncertain: readonly string[];
}

/**
 * Which rows of a customer may be moved. `knownSinceMs`: since when ids are remembered. Rows that are older
 * than that are new all the same where the customer has no conversation, or one that notes what was moved.
 */
export function sortRows(
  rows: readonly { readonly id: string; readonly atMs: number | undefined }[],
  conversation: Pick<Conversation, "attributes"> | undefined,
  knownSinceMs: number,
): Sorted {
  const mark = markOf(conversation);
  const [moved, moving] = [new Set(mark?.moved), new Set(mark?.moving)];
  const before = rows.filter(({ id }) => moved.has(id));
  const rest = rows.filter(({ id }) => !moved.has(id));
  const isUncertain = ({ id, atMs }: (typeof rows)[number]) => {
    if (!conversation) return false;
    if (mark) return moving.has(id) && mark.atMs < knownSinceMs;
    return (atMs ?? 0) < knownSinceMs;
  };
  const ids = (some: typeof rows) => some.map(({ id }) => id);
  return {
    before: ids(before),
    free: ids(rest.filter((row) => !isUncertain(row))),
    uncertain: ids(rest.filter(isUncertain)),
  };
}
