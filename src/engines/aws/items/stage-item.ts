import { bytesOf } from "../../../core/pile.ts";
import {
  count,
  fields,
  kinds,
  listOf,
  optional,
  type Sound,
  soundAs,
  text,
  time,
} from "../../../core/shape.ts";
import { MEDIA } from "../../../core/sound-message.ts";
import { stagedOutbound } from "../../../core/staged.ts";
import type { Arrival, Media, StagedMessage } from "../../../model/message.ts";
import type { OutboundRequest } from "../../../model/outbound.ts";
import type * as staged from "../../../model/staged.ts";
import type { Item } from "../dynamo/expression.ts";
import { name, textsByName } from "./item-shapes.ts";
import { itemBytes } from "./item-size.ts";
import { isNewer, VERSION } from "./version.ts";

/** What a row of `conversations-stage` has besides. */
interface RowBase {
  /** The first half of the conversation's key (`primary_channel`); a message keeps its own sender. */
  readonly sender: string;
  readonly channel: string;
  readonly arrivedAtMs: number;
  readonly sequence: number;
}

export type StageMessageRow = RowBase & staged.StagedMessageRow;
export type StageRow = RowBase & staged.StagedRow;

interface StagedAt {
  readonly conversationId: string;
  readonly sender: string;
  readonly sequence: number;
}

export function messageRow(arrival: Arrival, id: string, at: StagedAt): StageMessageRow {
  const bytes = bytesOf(arrival);
  const { channel, arrivedAtMs } = arrival;
  return weighed({
    kind: "message",
    id,
    ...at,
    channel,
    arrivedAtMs,
    bytes,
    message: { ...arrival, id, sequence: at.sequence },
  });
}

/** What every row has besides its texts. */
const FRAME_BYTES = 1_000;

/**
 * A batch is cut by what its rows weigh in a transaction: texts and media as they are counted everywhere,
 * unless the item is larger. Computed for rows that were read, too: the version that staged them may have
 * counted in another way.
 */
function weighed<T extends StageRow>(row: T): T {
  return { ...row, bytes: Math.max(row.bytes, itemBytes(stageItem(row)) - FRAME_BYTES) };
}

export function outboundRow(
  request: OutboundRequest,
  at: StagedAt & { readonly nowMs: number },
): RowBase & staged.StagedOutboundRow {
  const { nowMs, ...where } = at;
  const said = stagedOutbound(request, nowMs);
  const { id, channel } = said.outbound;
  return weighed({ kind: "outbound", id, ...where, channel, arrivedAtMs: nowMs, ...said });
}

/** The original system's attribute names, where it has one: `message_sid`, `body`, `received_at`. */
export function stageItem(row: StageRow): Item {
  const { id, conversationId, sender, channel, arrivedAtMs, sequence, bytes } = row;
  const base = {
    v: VERSION,
    conversation_id: conversationId,
    message_sid: id,
    primary_channel: sender,
    channel,
    received_at: arrivedAtMs,
    sequence,
    bytes,
    kind: row.kind,
  };
  if (row.kind === "outbound") {
    const { to, addressee, texts, media, author, about } = row.outbound;
    return { ...base, reply_to: to, addressee, texts, media, author, about };
  }
  const { message } = row;
  return {
    ...base,
    provider_id: message.providerId,
    account: message.account,
    address: message.address,
    sender: message.sender,
    sender_alias: message.senderAlias,
    reply_to: message.replyTo,
    body: message.text,
    media: message.media,
    sent_at: message.sentAtMs,
    position: message.position,
    fields: message.fields,
  };
}

const ROW = {
  message_sid: name,
  conversation_id: name,
  primary_channel: optional(text),
  channel: name,
  received_at: time,
  sequence: optional(count),
  bytes: optional(count),
};

const STAGED = kinds({
  message: fields({
    ...ROW,
    provider_id: text,
    account: text,
    address: text,
    sender: text,
    sender_alias: optional(text),
    reply_to: text,
    body: text,
    media: MEDIA,
    sent_at: optional(time),
    position: optional(count),
    fields: optional(textsByName),
  }),
  outbound: fields({
    ...ROW,
    reply_to: text,
    addressee: optional(text),
    texts: listOf(text),
    media: optional(MEDIA),
    author: text,
    about: optional(text),
  }),
});

/** A row as it was read, if it is ours. */
export function stagedFrom(item: unknown): Sound<StageRow> {
  if (isNewer("stage", item as Item | undefined)) return { kind: "foreign", why: "v is of a newer version" };
  const read = soundAs<Item>(STAGED, item);
  return read.kind === "sound" ? { kind: "sound", value: weighed(rowFrom(read.value)) } : read;
}

function rowFrom(item: Item): StageRow {
  const base = {
    id: String(item.message_sid),
    conversationId: String(item.conversation_id),
    sender: String(item.primary_channel ?? ""),
    channel: String(item.channel),
    arrivedAtMs: Number(item.received_at),
    sequence: Number(item.sequence ?? 0),
    bytes: Number(item.bytes ?? 0),
  };
  if (item.kind === "outbound") {
    const { id, channel, arrivedAtMs } = base;
    const texts = item.texts as string[];
    const outbound = {
      id,
      channel,
      to: String(item.reply_to),
      texts,
      ...(item.media !== undefined && { media: item.media as readonly Media[] }),
      ...(item.addressee !== undefined && { addressee: String(item.addressee) }),
      author: String(item.author),
      ...(item.about !== undefined && { about: String(item.about) }),
      arrivedAtMs,
    };
    return { kind: "outbound", ...base, outbound };
  }
  return { kind: "message", ...base, message: messageFrom(item, base) };
}

function messageFrom(
  item: Item,
  { id, channel, arrivedAtMs, sequence }: Pick<StageRow, "id" | "channel" | "arrivedAtMs" | "sequence">,
): StagedMessage {
  return {
    id,
    sequence,
    channel,
    arrivedAtMs,
    providerId: String(item.provider_id),
    account: String(item.account),
    address: String(item.address),
    sender: String(item.sender),
    ...(item.sender_alias !== undefined && { senderAlias: String(item.sender_alias) }),
    replyTo: String(item.reply_to),
    text: String(item.body),
    media: item.media as StagedMessage["media"],
    ...(item.sent_at !== undefined && { sentAtMs: Number(item.sent_at) }),
    position: Number(item.position ?? 0),
    ...(item.fields !== undefined && { fields: item.fields as Record<string, string> }),
  };
}
