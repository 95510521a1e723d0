import { providerIdsOf } from "../../../core/draft.ts";
import { conversationOfUnknown, conversationWithin } from "../../../core/identity.ts";
import { isoOf } from "../../../core/instant.ts";
import { canonicalAddress } from "../../../core/own-addresses.ts";
import { seedInstant } from "../../../core/seed-time.ts";
import type { Sound } from "../../../core/shape.ts";
import { soundUnknown } from "../../../core/sound-records.ts";
import { type FinishedTurn, spokenIn } from "../../../core/turn.ts";
import type { HistoryMessage } from "../../../model/history.ts";
import type { UnknownSend } from "../../../model/unknown-send.ts";
import { isObject } from "../../../schema/is-object.ts";
import type { Item } from "../dynamo/expression.ts";
import { tokensOf } from "./conversation-item.ts";
import { inTime } from "./keys.ts";

export const REFUSAL = "r#";
export const UNKNOWN = "u#";

/**
 * One of the `messages` that another system keeps in the conversation's row. Undefined if invalid, or if
 * neither side said it: what a `system` or a `tool` said must not be taken for the customer's words.
 */
export function legacyFrom(entry: unknown): HistoryMessage | undefined {
  if (!isObject(entry)) return undefined;
  const role = roleIn(entry);
  if (role === undefined) return undefined;
  const text = entry.body ?? entry.content ?? entry.text ?? "";
  const id = entry.message_sid ?? entry.message_id;
  return {
    role,
    text: typeof text === "string" ? text : JSON.stringify(text),
    media: [],
    atMs: seedInstant(entry.timestamp ?? entry.message_timestamp ?? entry.created_at) ?? 0,
    turnId: typeof id === "string" ? id : "",
  };
}

/** Without a role it is the customer's: lists were begun with their messages alone. */
function roleIn({ role }: Item): HistoryMessage["role"] | undefined {
  if (role === undefined || role === null) return "user";
  const word = typeof role === "string" ? role.trim().toLowerCase() : "";
  return word === "user" || word === "assistant" ? word : undefined;
}

/** Marks what we wrote there ourselves. No reader of the list has to know it. */
const TURN = "lull_turn_id";

/**
 * Whether it is one that we also keep in items of our own, of this conversation. One of another conversation
 * was copied here by another system: our items of this conversation do not have it.
 */
export function isMirrored(entry: unknown, conversationId: string): entry is Item {
  if (!isObject(entry)) return false;
  const turnId = entry[TURN];
  return typeof turnId === "string" && conversationWithin(turnId) === conversationId;
}

/**
 * What a turn adds to the `messages` of the conversation's row: under the names of the system that began the
 * list, one entry for all that the customer wrote, and one for the reply.
 */
export function mirroredEntries(turn: FinishedTurn): Item[] {
  const { messages, draft, commit } = turn;
  const sids = { user: messages[0]?.providerId, assistant: draft && providerIdsOf(draft).at(-1) };
  return spokenIn(turn).map(({ role, text, atMs, turnId }) => ({
    ...(sids[role] !== undefined && { message_sid: sids[role] }),
    role,
    body: text,
    timestamp: isoOf(atMs),
    ...(role === "assistant" && commit.usage && tokensOf(commit.usage)),
    [TURN]: turnId,
  }));
}

export function unknownKey(unknownId: string): Item | undefined {
  const conversationId = conversationOfUnknown(unknownId);
  return conversationId ? { conversation_id: conversationId, item_id: `${UNKNOWN}${unknownId}` } : undefined;
}

export function unknownItem(unknown: UnknownSend, sequence: number): Item {
  const { id, conversationId, turnId, chunk, channel, to, addressee, from, text, media, atMs } = unknown;
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
    addressee,
    from_address: from,
    // For conditions, which cannot tell that two spellings of a number are the same.
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
    ...(item.addressee !== undefined && { addressee: item.addressee }),
    ...(item.from_address !== undefined && { from: item.from_address }),
  };
  return soundUnknown({ id, conversationId, turnId, chunk, channel, to, text, ...attached, atMs });
}
