import { mergeTexts } from "../../core/batch.ts";
import { canonicalAddress } from "../../core/own-addresses.ts";
import { isObject, type Sound } from "../../core/shape.ts";
import { soundHistory, soundTurn, soundUnknown } from "../../core/sound-records.ts";
import type { HistoryMessage, MessagePart } from "../../ports/conversations.ts";
import type { TurnRecord, UnknownSend } from "../../ports/inspector.ts";
import type { Media } from "../../ports/message.ts";
import { instantOf } from "./conversation-item.ts";
import type { Item } from "./expression.ts";
import { fits } from "./item-size.ts";
import { conversationWithin, inTime, ttl } from "./keys.ts";

/** Items of a conversation's partition begin with their kind, and sort by the time of their turn's commit. */
export const MESSAGE = "m#";
export const TURN = "t#";
export const REFUSAL = "r#";
const UNKNOWN = "u#";

/** When the turn was committed, and how long what it leaves is kept: 0 means for good. */
export interface Committed {
  readonly atMs: number;
  readonly retentionMs: number;
}

/** What was said in one turn, in the order in which it was. */
export function saidItems(
  conversationId: string,
  said: readonly HistoryMessage[],
  committedOf: (message: HistoryMessage) => Committed,
): Item[] {
  const itemOf = (message: HistoryMessage, place: number) =>
    messageItem(conversationId, message, place, committedOf(message));
  return said.flatMap((message) => inItems(message, (each) => itemOf(each, 0))).map(itemOf);
}

/**
 * What no item holds is spread over several, part by part: whoever reads it finds that the person wrote twice. Of what has no parts
 * (another engine kept it) the end is enough to go on with.
 */
function inItems(message: HistoryMessage, itemOf: (message: HistoryMessage) => Item): HistoryMessage[] {
  if (fits(itemOf(message))) return [message];
  const { parts = [], ...merged } = message;
  if (parts.length > 1 && isMerged(message)) {
    const half = Math.ceil(parts.length / 2);
    const halves = [parts.slice(0, half), parts.slice(half)];
    return halves.flatMap((some) => inItems(ofParts(message, some), itemOf));
  }
  if (fits(itemOf(merged))) return [merged];
  return [{ ...merged, text: merged.text.slice(-TEXT_CHARACTERS_MAX), media: [] }];
}

function ofParts(message: HistoryMessage, parts: readonly MessagePart[]): HistoryMessage {
  return { ...message, text: mergeTexts(parts), media: mediaOf(parts), parts };
}

function mediaOf(parts: readonly MessagePart[]): Media[] {
  return parts.flatMap(({ media }) => media);
}

/** Four bytes each at most. */
const TEXT_CHARACTERS_MAX = 90_000;

function isMerged({ text, parts }: HistoryMessage): boolean {
  return parts !== undefined && mergeTexts(parts) === text;
}

function areOfParts({ media, parts }: HistoryMessage): boolean {
  return parts !== undefined && JSON.stringify(mediaOf(parts)) === JSON.stringify(media);
}

function messageItem(
  conversationId: string,
  message: HistoryMessage,
  place: number,
  committed: Committed,
): Item {
  const { role, text, media, atMs, turnId, author, parts } = message;
  return {
    conversation_id: conversationId,
    item_id: `${MESSAGE}${inTime(committed.atMs, place)}`,
    role,
    // A user's side is its parts: merged, it would be everything a second time, and an item holds 400 KB.
    ...(!isMerged(message) && { body: text }),
    ...(!areOfParts(message) && { media }),
    at_ms: atMs,
    turn_id: turnId,
    parts,
    author,
    ...expiry(committed),
  };
}

/** What was said, as it was read, if it is that. Text and media that are not written down are those of the parts. */
export function historyFrom(item: Item): Sound<HistoryMessage> {
  const { role, body, media, at_ms, turn_id, author, parts } = item;
  const read = soundHistory({
    role,
    text: body ?? "",
    media: media ?? [],
    atMs: at_ms,
    turnId: turn_id,
    author,
    parts,
  });
  if (read.kind === "foreign") return read;
  const { parts: said = [], ...message } = read.value;
  const value = {
    ...message,
    ...(body === undefined && { text: mergeTexts(said) }),
    ...(media === undefined && { media: mediaOf(said) }),
    ...(parts !== undefined && { parts: said }),
  };
  return { kind: "sound", value: withoutUndefined(value) };
}

/** One of the `messages` that another system keeps in the conversation's row. Undefined when it is none. */
export function legacyFrom(entry: unknown): HistoryMessage | undefined {
  if (!isObject(entry)) return undefined;
  const text = entry.body ?? entry.content ?? entry.text ?? "";
  const id = entry.message_sid ?? entry.message_id;
  return {
    role: entry.role === "assistant" ? "assistant" : "user",
    text: typeof text === "string" ? text : JSON.stringify(text),
    media: [],
    atMs: instantOf(entry.timestamp ?? entry.message_timestamp ?? entry.created_at) ?? 0,
    turnId: typeof id === "string" ? id : "",
  };
}

export function turnItem(turn: TurnRecord, committed: Committed): Item {
  const { conversationId, turnId, ...record } = turn;
  return {
    conversation_id: conversationId,
    item_id: `${TURN}${inTime(committed.atMs, 0)}`,
    turn_id: turnId,
    ...Object.fromEntries(Object.entries(record).map(([name, value]) => [snake(name), value])),
    ...expiry(committed),
  };
}

export function turnFrom(item: Item): Sound<TurnRecord> {
  const { item_id: _key, expires_at: _expiry, ...record } = item;
  return soundTurn(Object.fromEntries(Object.entries(record).map(([name, value]) => [camel(name), value])));
}

export function unknownKey(unknownId: string): Item | undefined {
  const within = conversationWithin(unknownId);
  const conversationId = within?.slice(0, within.lastIndexOf("."));
  return conversationId ? { conversation_id: conversationId, item_id: `${UNKNOWN}${unknownId}` } : undefined;
}

export function unknownItem(unknown: UnknownSend, sequence: number): Item {
  const { id, conversationId, turnId, chunk, channel, to, from, text, media, atMs } = unknown;
  return {
    ...unknownKey(id),
    conversation_id: conversationId,
    listing: "unknown",
    listed_at: `${inTime(atMs, sequence)}#${id}`,
    unknown_id: id,
    turn_id: turnId,
    chunk,
    channel,
    reply_to: to,
    from_address: from,
    // For conditions, which cannot tell that two ways of writing a number are one.
    sent_from: from ? canonicalAddress(from) : undefined,
    body: text,
    media,
    at_ms: atMs,
  };
}

export function unknownFrom(item: Item): Sound<UnknownSend> {
  const { unknown_id: id, conversation_id: conversationId, turn_id: turnId, at_ms: atMs } = item;
  const { chunk, channel, reply_to: to, body: text, media } = item;
  const attached = {
    ...(media !== undefined && { media }),
    ...(item.from_address !== undefined && { from: item.from_address }),
  };
  return soundUnknown({ id, conversationId, turnId, chunk, channel, to, text, ...attached, atMs });
}

function expiry({ atMs, retentionMs }: Committed): Item {
  return retentionMs === 0 ? {} : { expires_at: ttl(atMs + retentionMs) };
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
