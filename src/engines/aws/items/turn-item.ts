import { mergeTexts } from "../../../core/batch.ts";
import type { Sound } from "../../../core/shape.ts";
import { soundHistory, soundTurn } from "../../../core/sound-records.ts";
import type { HistoryMessage, MessagePart } from "../../../model/history.ts";
import type { Media } from "../../../model/message.ts";
import type { TurnRecord } from "../../../model/turn.ts";
import { isObject } from "../../../schema/is-object.ts";
import type { Item } from "../dynamo/expression.ts";
import { fits } from "./item-size.ts";
import { inTime, ttl } from "./keys.ts";

/** Items of a conversation's partition begin with their kind. Those of turns sort by commit time. */
export const SAID = "m#";
/** The record of a turn, if no history item holds it. 0.1.0 always wrote one, and one for each message. */
export const RECORD = "t#";

/** When the turn was committed, and how long its items are kept: 0 means for good. */
export interface Committed {
  readonly atMs: number;
  readonly retentionMs: number;
}

/** What a turn leaves. An imported turn may have no record. */
export interface LeftByTurn {
  readonly conversationId: string;
  readonly turnId: string;
  readonly said: readonly HistoryMessage[];
  readonly record?: TurnRecord | undefined;
}

/**
 * What was said, in order, and the record: in one item or, if they do not fit, in as few as hold them. An
 * item is its last message, as 0.1.0 wrote it, with the earlier ones in a list: code of 0.1.0 finds the last
 * one, and nothing that it would misread.
 */
export function turnItems(
  { conversationId, turnId, said, record }: LeftByTurn,
  committed: Committed,
): Item[] {
  const itemOf = (kind: string, place: number, content: Item): Item => ({
    conversation_id: conversationId,
    item_id: `${kind}${inTime(committed.atMs, place)}`,
    turn_id: turnId,
    ...content,
    ...expiry(committed),
  });
  const isHeld = (messages: readonly HistoryMessage[]) => fits(itemOf(SAID, 0, saidIn(messages)));
  const items = packed(
    said.flatMap((message) => inItems(message, (each) => isHeld([each]))),
    isHeld,
  ).map((messages, place) => itemOf(SAID, place, saidIn(messages)));
  if (!record) return items;
  const recorded = attributesOf(record);
  const at = items.findIndex((item) => fits({ ...item, ...recorded }));
  if (at === -1) return [...items, itemOf(RECORD, 0, recorded)];
  return items.with(at, { ...items[at], ...withoutIdsOf(items[at]!, recorded) });
}

/** In order, in as few packs as possible. */
function packed<T>(all: readonly T[], isHeld: (some: readonly T[]) => boolean): T[][] {
  const packs: T[][] = [];
  for (const each of all) {
    const last = packs.at(-1);
    if (last && isHeld([...last, each])) last.push(each);
    else packs.push([each]);
  }
  return packs;
}

function saidIn(messages: readonly HistoryMessage[]): Item {
  const entries = messages.map(entryOf);
  return { ...entries.at(-1), before: entries.slice(0, -1) };
}

/**
 * What no item can hold is spread over several, part by part: a reader sees that the person wrote twice.
 * Without parts (another engine stored it) the end of the text is kept.
 */
function inItems(message: HistoryMessage, isHeld: (message: HistoryMessage) => boolean): HistoryMessage[] {
  if (isHeld(message)) return [message];
  const { parts = [], ...merged } = message;
  if (parts.length > 1 && isMerged(message)) {
    const half = Math.ceil(parts.length / 2);
    const halves = [parts.slice(0, half), parts.slice(half)];
    return halves.flatMap((some) => inItems(ofParts(message, some), isHeld));
  }
  if (isHeld(merged)) return [merged];
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

/** A user's side is stored as its parts: merged, all would be stored twice, and an item holds 400 KB. */
export function entryOf(message: HistoryMessage): Item {
  const { role, text, media, atMs, author, parts } = message;
  return {
    role,
    ...(!isMerged(message) && { body: text }),
    ...(!areOfParts(message) && { media }),
    at_ms: atMs,
    parts,
    author,
  };
}

/** What one item says, in order. */
export interface Said {
  readonly turnId: string;
  readonly messages: readonly HistoryMessage[];
  readonly isOld: boolean;
}

/** What was said, as it was read, if it is valid. An item of 0.1.0 is one message, with nothing before it. */
export function saidFrom(item: Item): Sound<Said> {
  const { before = [], turn_id } = item;
  if (!Array.isArray(before)) return { kind: "foreign", why: "before is no list" };
  const messages: HistoryMessage[] = [];
  for (const entry of [...before, item]) {
    const read = messageFrom(isObject(entry) ? entry : {}, turn_id);
    if (read.kind === "foreign") return read;
    messages.push(read.value);
  }
  return {
    kind: "sound",
    value: { turnId: String(turn_id), messages, isOld: item.before === undefined },
  };
}

/** Text and media that are not stored are those of the parts. */
function messageFrom(entry: Item, turnId: unknown): Sound<HistoryMessage> {
  const { role, body, media, at_ms, author, parts } = entry;
  const read = soundHistory({
    role,
    text: body ?? "",
    media: media ?? [],
    atMs: at_ms,
    turnId,
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

/** What both 0.1.0 and a later version imported is there in both shapes: the later one counts. */
export function withoutOldTwins(all: readonly Said[]): Said[] {
  const turns = new Set(all.filter(({ isOld }) => !isOld).map(({ turnId }) => turnId));
  return all.filter(({ isOld, turnId }) => !isOld || !turns.has(turnId));
}

function attributesOf({ conversationId: _partition, turnId: _item, ...record }: TurnRecord): Item {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [snake(name), value]));
}

/** Ids that equal those of the parts beside them are not stored twice. */
function withoutIdsOf(item: Item, recorded: Item): Item {
  const { message_ids, ...others } = recorded;
  return JSON.stringify(message_ids) === JSON.stringify(partIdsIn(item)) ? others : recorded;
}

function partIdsIn({ before, ...last }: Item): unknown[] {
  const listIn = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);
  return [...listIn(before), last].flatMap(({ parts }) => listIn(parts).map(({ id }) => id));
}

/** Whether it holds the record of a turn. */
export function holdsRecord({ item_id, outcome }: Item): boolean {
  const key = String(item_id);
  return key.startsWith(RECORD) || (key.startsWith(SAID) && outcome !== undefined);
}

export function recordFrom(item: Item): Sound<TurnRecord> {
  const { item_id: _key, expires_at: _expiry, role: _role, body: _body, media: _media, ...more } = item;
  const { at_ms: _time, parts: _parts, author: _author, before: _before, ...record } = more;
  const named = { message_ids: partIdsIn(item), ...record };
  return soundTurn(Object.fromEntries(Object.entries(named).map(([name, value]) => [camel(name), value])));
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
