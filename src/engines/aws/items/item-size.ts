import { LullError } from "../../../errors.ts";
import type { Draft } from "../../../model/draft.ts";
import type { OutboundRequest } from "../../../model/outbound.ts";
import type { Item } from "../dynamo/expression.ts";
import { isPartitionKey, isSortKey } from "../dynamo/key-size.ts";

/** A little less than DynamoDB's 400 KB: a dead letter stores the row inside another item. */
export const ITEM_BYTES_MAX = 400_000;

/** For rows that one transaction moves between tables: each is counted twice, and all may have 4 MB. */
const MOVED_BYTES_MAX = 1_000_000;

/** A draft shares its item with the attempts and their message ids. */
const DRAFT_BYTES_MAX = 350_000;
/** What a chunk grows by until it is sent: the provider's id, and when. */
const SENT_BYTES = 100;

/**
 * As DynamoDB counts: names and texts in UTF-8, numbers by their digits, three bytes for a list or a map and
 * one for each member.
 */
export function itemBytes(value: unknown): number {
  switch (typeof value) {
    case "string":
      return Buffer.byteLength(value);
    case "number":
      return Math.ceil(String(value).length / 2) + 2;
    case "object":
      return value === null ? 1 : 3 + membersBytes(value);
    default:
      return value === undefined ? 0 : 1;
  }
}

function membersBytes(value: object): number {
  if (value instanceof Uint8Array) return value.byteLength;
  const members = value instanceof Set ? [...value] : value;
  if (Array.isArray(members)) return members.reduce<number>((sum, each) => sum + 1 + itemBytes(each), 0);
  const named = Object.entries(members).filter(([, each]) => each !== undefined);
  return named.reduce((sum, [name, each]) => sum + 1 + Buffer.byteLength(name) + itemBytes(each), 0);
}

/** Whether one item can hold it. If not, a retry cannot help. */
export function fits(item: Item): boolean {
  return itemBytes(item) <= ITEM_BYTES_MAX;
}

/** Whether a person and a message with these names can have keys of their own. */
export function areKeys(person: string, message: string): boolean {
  return isPartitionKey(person) && isSortKey(message);
}

/** Checked before the first chunk goes out: later it could not be recorded what was sent. */
export function assertFits(draft: Draft): Draft {
  if (itemBytes(draft) + SENT_BYTES * draft.chunks.length > DRAFT_BYTES_MAX) throw tooLarge();
  return draft;
}

/** The same for what a human wants to say, as far as it is known before it is split. */
export function assertSayable({ texts, media = [] }: Pick<OutboundRequest, "texts" | "media">): void {
  if (itemBytes(texts) + itemBytes(media) > DRAFT_BYTES_MAX) throw tooLarge();
}

function tooLarge(): LullError {
  const message = `the reply is larger than ${DRAFT_BYTES_MAX / 1_000} KB, or has too many parts`;
  return new LullError(message, { code: "REPLY_TOO_LARGE", retry: "never" });
}

/** As many as one transaction can move, at least one. */
export function movable<T extends { readonly bytes: number }>(rows: readonly T[], max: number): T[] {
  let bytes = 0;
  const end = rows.findIndex((row, at) => {
    bytes += row.bytes;
    return at > 0 && (at >= max || bytes > MOVED_BYTES_MAX);
  });
  return end === -1 ? [...rows] : rows.slice(0, end);
}
