import { sentInDraft, sentInTurn } from "../../../core/sent.ts";
import type { Sound } from "../../../core/shape.ts";
import type { KeptKind, KeptRecord, PersonAt } from "../../../model/kept.ts";
import type { Listing, Page } from "../../../ports/inspector.ts";
import type { AwsContext } from "../context.ts";
import { all, beginsWith, equal, type Item } from "../dynamo/expression.ts";
import type { TableName } from "../dynamo/tables.ts";
import { conversationFrom, senderIn } from "../items/conversation-item.ts";
import { rowOf } from "../items/conversation-row.ts";
import { conversationKeyOf } from "../items/keys.ts";
import { LETTER, LETTER_ROW, letterFrom, wholeLetter } from "../items/letter-item.ts";
import { isMirrored, legacyFrom, REFUSAL, UNKNOWN, unknownFrom } from "../items/message-item.ts";
import { QUARANTINE_ITEM } from "../items/quarantined-rows.ts";
import { refusalFrom } from "../items/refusal-item.ts";
import { isSent } from "../items/seen.ts";
import { stagedFrom } from "../items/stage-item.ts";
import { storedFrom } from "../items/state-item.ts";
import { holdsRecord, RECORD, recordFrom, SAID, saidFrom } from "../items/turn-item.ts";
import { windowFrom } from "../items/window-item.ts";
import { copyRow } from "./quarantined.ts";

/** Kinds that are read conversation by conversation. */
type KindOfConversation = Exclude<KeptKind, "name">;

type ReadKind = (context: AwsContext, id: string, page: Page) => Promise<Listing<object>>;

/**
 * How each kind is read. An erasure removes whole partitions of the same tables, so that it needs no such
 * list; a test compares what the two have seen.
 */
const READS: Readonly<Record<KindOfConversation, ReadKind>> = {
  conversation: async (context, id) => one(recordOf(await rowOf(context, id))),
  state: stateOf,
  staged: stagedIn,
  message: messagesIn,
  turn: (context, id, page) =>
    inTurn([SAID, RECORD], page, (prefix, rest) =>
      partition(context, id, prefix, rest, (items) => sound(context, items.filter(holdsRecord), recordFrom)),
    ),
  deadLetter: (context, id, page) =>
    partition(context, id, LETTER, page, async (items) =>
      Promise.all(sound(context, items, letterFrom).map((head) => wholeLetter(context, head))),
    ),
  unknownSend: (context, id, page) =>
    partition(context, id, UNKNOWN, page, (items) => sound(context, items, unknownFrom)),
  refusal: (context, id, page) =>
    partition(context, id, REFUSAL, page, (items) => sound(context, items, refusalFrom)),
  sent: sentIn,
  quarantined: (context, id, page) =>
    partition(context, id, QUARANTINE_ITEM, page, (items) => items.map(copyRow)),
};

/**
 * What of each table is a person's, and by which kinds it is read. `seen` has hashes of ids; what was sent is
 * told by its turns. With another table this does not compile.
 */
export const KINDS_BY_TABLE: Readonly<Record<TableName, readonly KeptKind[]>> = {
  conversations: ["conversation", "message"],
  stage: ["staged"],
  triggerLock: ["state"],
  state: ["state", "name"],
  messages: ["message", "turn", "deadLetter", "unknownSend", "refusal", "quarantined"],
  seen: ["sent"],
};

/** How the items of a conversation's partition begin, and by which kind they are read. */
export const KINDS_BY_PREFIX: Readonly<Record<string, KindOfConversation>> = {
  [SAID]: "message",
  [RECORD]: "turn",
  [LETTER]: "deadLetter",
  [LETTER_ROW]: "deadLetter",
  [UNKNOWN]: "unknownSend",
  [REFUSAL]: "refusal",
  [QUARANTINE_ITEM]: "quarantined",
};

/** A page of one kind: of one conversation after the other. */
export async function keptIn(
  context: AwsContext,
  { conversationIds }: PersonAt,
  kind: KindOfConversation,
  { limit, cursor }: Page,
): Promise<Listing<KeptRecord>> {
  const [at = 0, within] = cursor === undefined ? [] : (JSON.parse(cursor) as [number, string?]);
  const id = conversationIds[at];
  if (id === undefined) return { items: [] };
  const { items, next } = await READS[kind](context, id, { limit, ...(within && { cursor: within }) });
  const isLast = at + 1 >= conversationIds.length;
  const following = next === undefined ? (isLast ? undefined : [at + 1]) : [at, next];
  return {
    items: items.map((record) => ({ conversationId: id, record })),
    ...(following && { next: JSON.stringify(following) }),
  };
}

const one = (record: object | undefined): Listing<object> => ({ items: record ? [record] : [] });

/** As we read it, and the whole row: another system may have written what is nothing to us. */
function recordOf(row: Item | undefined): object | undefined {
  return row && { ...conversationFrom(row), fields: plain(row) };
}

/** Sets would be lost in JSON. What its owner keeps of messages is listed with the messages. */
function plain({ messages: _, ...row }: Item): Item {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Set ? [...value] : value,
  ]);
  return Object.fromEntries(entries);
}

async function stateOf({ store }: AwsContext, id: string): Promise<Listing<object>> {
  const [item, lock] = await Promise.all([
    store.get("state", conversationKeyOf(id)),
    store.get("triggerLock", conversationKeyOf(id)),
  ]);
  if (!item && !lock) return { items: [] };
  const { state } = storedFrom(id, item);
  const window = lock && windowFrom(lock);
  const sender = senderIn(item);
  return one({
    ...state,
    ...(window?.kind === "sound" && { window: window.value }),
    ...(sender !== undefined && { sender }),
  });
}

/** Also rows of another system: they are about this person, and are removed with the rest. */
async function stagedIn(context: AwsContext, id: string, page: Page): Promise<Listing<object>> {
  const key = equal("conversation_id", id);
  const from = page.cursor === undefined ? undefined : { conversation_id: id, message_sid: page.cursor };
  const { items, next } = await context.store.queryPage("stage", { key, from, limit: page.limit });
  const rows = items.map((item) => {
    const read = stagedFrom(item);
    return read.kind === "sound" ? read.value : { fields: item };
  });
  return { items: rows, ...(next && { next: String(next.message_sid) }) };
}

/** Ours; before them, what another system kept in the conversation's row. */
async function messagesIn(context: AwsContext, id: string, page: Page): Promise<Listing<object>> {
  const before = page.cursor === undefined ? (await rowOf(context, id))?.messages : undefined;
  const theirs = Array.isArray(before) ? before.filter((entry) => !isMirrored(entry, id)) : [];
  const { items, next } = await partition(context, id, SAID, page, (found) =>
    sound(context, found, saidFrom).flatMap(({ messages }) => messages),
  );
  return { items: [...theirs.flatMap((entry) => legacyFrom(entry) ?? []), ...items], ...(next && { next }) };
}

/** Of what is known to have been sent, that which a callback would still be recognised by. */
async function sentIn(context: AwsContext, id: string, page: Page): Promise<Listing<object>> {
  const { items, next } = await READS.turn(context, id, page);
  const draft =
    page.cursor === undefined
      ? storedFrom(id, await context.store.get("state", conversationKeyOf(id))).state.draft
      : undefined;
  const all = [...sentInDraft(draft), ...items.flatMap((turn) => sentInTurn(turn as never))];
  const known = await Promise.all(
    all.map(async (sent) => {
      return (await isSent(context, sent.channel, sent.providerId)) ? [sent] : [];
    }),
  );
  return { items: known.flat(), ...(next !== undefined && { next }) };
}

/** A page of the items that begin like this. */
async function partition(
  context: AwsContext,
  id: string,
  prefix: string,
  { limit, cursor }: Page,
  read: (items: Item[]) => readonly object[] | Promise<readonly object[]>,
): Promise<Listing<object>> {
  const key = all(equal("conversation_id", id), beginsWith("item_id", prefix));
  const from = cursor === undefined ? undefined : { conversation_id: id, item_id: cursor };
  const { items, next } = await context.store.queryPage("messages", { key, from, limit });
  return { items: await read(items), ...(next && { next: String(next.item_id) }) };
}

/** One prefix after the other. The key of an item tells with which it begins. */
async function inTurn(
  prefixes: readonly string[],
  { limit, cursor }: Page,
  read: (prefix: string, page: Page) => Promise<Listing<object>>,
): Promise<Listing<object>> {
  const at = Math.max(
    0,
    prefixes.findIndex((prefix) => cursor?.startsWith(prefix)),
  );
  const begins = cursor === prefixes[at];
  const { items, next } = await read(prefixes[at]!, {
    limit,
    ...(cursor !== undefined && !begins && { cursor }),
  });
  const following = next ?? prefixes[at + 1];
  return { items, ...(following !== undefined && { next: following }) };
}

function sound<T>(context: AwsContext, items: Item[], from: (item: Item) => Sound<T>): T[] {
  return context.quarantine.sound("messages", items, from);
}
