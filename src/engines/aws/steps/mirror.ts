import { keptSinceMs } from "../../../core/defaults.ts";
import type { FinishedTurn } from "../../../core/turn.ts";
import type { AwsContext } from "../context.ts";
import { absent, type Condition, equal, type Item } from "../dynamo/expression.ts";
import { ITEM_BYTES_MAX, itemBytes } from "../items/item-size.ts";
import { isMirrored, legacyFrom, mirroredEntries } from "../items/message-item.ts";

/** The row's `messages` after a turn, on condition that they are still those that were read. */
export interface Mirrored {
  readonly messages: readonly unknown[];
  readonly condition: Condition;
}

/**
 * Entries of another system stay where they are, since there may be no other copy of them. Of ours the newest
 * are kept, as many as are wanted and as the row has room for. Undefined if there is room for none of this
 * turn's, or if the attribute is no list that we can write back. `changed` is what else the turn writes to
 * the row.
 */
export function mirroredIn(
  { settings, clock }: AwsContext,
  row: Item,
  turn: FinishedTurn,
  changed: Item,
): Mirrored | undefined {
  const { messages: read, ...rest } = row;
  // NULL, like a missing list, says that there is none yet.
  if (read != null && !(Array.isArray(read) && isWritable(read))) return undefined;
  const added = mirroredEntries(turn);
  const all: unknown[] = [...((read as unknown[] | null | undefined) ?? []), ...added];
  const room = ITEM_BYTES_MAX - itemBytes({ ...rest, ...changed, messages: [] });
  const isOurs = (entry: unknown): entry is Item => isMirrored(entry, String(row.conversation_id));
  const theirs = all.filter((entry) => !isOurs(entry));
  const sinceMs = keptSinceMs(settings, clock.nowMs());
  const ours = all.filter(isOurs).filter((entry) => (legacyFrom(entry)?.atMs ?? 0) >= sinceMs);
  const kept = new Set<unknown>(newestWithin(ours.slice(-settings.mirrorMessages), room - sizeOf(theirs)));
  if (!added.some((entry) => kept.has(entry))) return undefined;
  return {
    messages: all.filter((entry) => !isOurs(entry) || kept.has(entry)),
    condition: read === undefined ? absent("messages") : equal("messages", read),
  };
}

/** A number that was rounded when it was read could not be written back as it was. */
function isWritable(value: unknown): boolean {
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return true;
  const members = value instanceof Set ? [...value] : Object.values(value);
  return members.every(isWritable);
}

/** A member of a list costs one byte besides its own. */
function sizeOf(entries: readonly unknown[]): number {
  return entries.reduce<number>((sum, entry) => sum + 1 + itemBytes(entry), 0);
}

function newestWithin(entries: readonly Item[], bytesMax: number): readonly Item[] {
  let bytes = 0;
  const oldest = entries.findLastIndex((entry) => {
    bytes += sizeOf([entry]);
    return bytes > bytesMax;
  });
  return entries.slice(oldest + 1);
}
