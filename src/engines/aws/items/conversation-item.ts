import type { RecordChange } from "../../../core/conversation-change.ts";
import { isoOf } from "../../../core/instant.ts";
import { foreignAddressIn } from "../../../core/own-addresses.ts";
import { projectAt } from "../../../core/projects.ts";
import { seedInstant } from "../../../core/seed-time.ts";
import { soundAs } from "../../../core/shape.ts";
import { WINDOW_POLICY } from "../../../core/sound-window.ts";
import type { Conversation, ConversationKey, ConversationStatus } from "../../../model/conversation.ts";
import type { Usage } from "../../../model/reply.ts";
import type { Settings } from "../../../model/settings.ts";
import type { WindowPolicy } from "../../../model/window.ts";
import { isObject } from "../../../schema/is-object.ts";
import type { Item } from "../dynamo/expression.ts";
import { shardOf, sortable } from "./keys.ts";

/** The first half of the row's key, which the original system named: the customer. */
export const SENDER = "primary_channel";

export function senderIn(item: Item | undefined): string | undefined {
  const sender = item?.[SENDER];
  return typeof sender === "string" && sender !== "" ? sender : undefined;
}

const WHATSAPP = "whatsapp";
const PREFIX = `${WHATSAPP}:`;
const PREFIXED_NUMBER = /^whatsapp:(?=\+?\d+$)/;
const NUMBER = /^\+?\d+$/;

/**
 * The keys under which a row of this customer may stand, the likeliest first: another system may write a
 * number as its provider does, with a prefix.
 */
export function spellingsOf(sender: string): string[] {
  const plain = withoutPrefix(sender);
  if (!NUMBER.test(plain)) return [sender];
  return [sender, plain === sender ? `${PREFIX}${plain}` : plain];
}

function withoutPrefix(sender: string): string {
  return sender.replace(PREFIXED_NUMBER, "");
}

/** Kept with a conversation whose key is spelt otherwise than its customer's name. Copies have it, too. */
const SPELT = Symbol("primary_channel");

interface SpeltKey {
  readonly sender: string;
  readonly [SPELT]?: string;
}

/** The first half of the key of the conversation's row, as it is spelt there. */
export function rowSenderOf(conversation: SpeltKey): string {
  return conversation[SPELT] ?? conversation.sender;
}

/** The row's key: the customer's address, and the id. */
export function rowKey(sender: string, id: string): Item {
  return { [SENDER]: sender, conversation_id: id };
}

/**
 * A row of `conversations`, whichever system wrote it, as a conversation of ours: what is missing has its
 * default. The owner's configuration is passed on as attributes, for responders to read.
 */
export function conversationFrom(row: Item): Conversation & SpeltKey {
  const spelt = String(row.primary_channel);
  const sender = withoutPrefix(spelt);
  const createdAtMs = createdAtMsOf(row);
  const window = windowIn(row.reply_window);
  const allowed = listOf(row.allowed_channels);
  const reason = row.hand_off_to_human_reason;
  return {
    id: String(row.conversation_id),
    channelType: textOf(row.channel_type) || typeTold(row),
    address: addressOf(row),
    sender,
    ...(spelt !== sender && { [SPELT]: spelt }),
    ...(typeof row.sender_alias === "string" && { senderAlias: row.sender_alias }),
    status: textOf(row.conversation_status, "new") as ConversationStatus,
    projectStatus: textOf(row.project_status, "active"),
    ...(allowed && { allowedChannels: allowed }),
    taskComplete: isTrue(row.task_complete),
    handedOff: isTrue(row.hand_off_to_human),
    ...(typeof reason === "string" && reason !== "" && { handOffReason: reason }),
    paused: isTrue(row.paused),
    ...(window && { window }),
    attributes: attributesOf(row),
    ...totalsIn(row),
    createdAtMs,
    updatedAtMs: updatedAtMsOf(row),
  };
}

export function rowFrom(conversation: Conversation): Item {
  const { id, sender, channelType, address, createdAtMs } = conversation;
  return {
    ...rowKey(sender, id),
    channel_type: channelType,
    address,
    sender_alias: conversation.senderAlias,
    conversation_status: conversation.status,
    project_status: conversation.projectStatus,
    allowed_channels: conversation.allowedChannels,
    task_complete: conversation.taskComplete ? 1 : 0,
    hand_off_to_human: conversation.handedOff,
    hand_off_to_human_reason: conversation.handOffReason,
    paused: conversation.paused,
    reply_window: conversation.window,
    attributes: conversation.attributes,
    ...totalsOf(conversation),
    created_at: isoOf(createdAtMs),
    updated_at: isoOf(conversation.updatedAtMs),
    ...listedAs(id, createdAtMs),
  };
}

/** The last reply's, as the original system meant these names. */
export function tokensOf({ promptTokens, completionTokens, totalTokens }: Usage): Record<string, number> {
  return { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: totalTokens };
}

/** Where the total of a count is kept. */
export function totalName(count: string): string {
  return `${count}_sum`;
}

/** Those of all its turns. */
function totalsOf(usage: Usage): Item {
  return Object.fromEntries(Object.entries(tokensOf(usage)).map(([name, count]) => [totalName(name), count]));
}

/** 0.1.0 kept the totals under the names of the last reply's. */
function totalsIn(row: Item): Usage {
  const total = (name: string) => countOf(row[totalName(name)] ?? row[name]);
  return {
    promptTokens: total("prompt_tokens"),
    completionTokens: total("completion_tokens"),
    totalTokens: total("total_tokens"),
  };
}

/** What puts a row into the list of conversations. Rows of another system get it at our first write. */
export function listedAs(id: string, atMs: number): Item {
  return { listing: shardOf(id), listed_at: `${sortable(atMs, 15)}#${id}` };
}

/** Only what the change names: the rest of the row belongs to its owner. */
export function changeOf(change: RecordChange, nowMs: number): Item {
  const { window } = change;
  return {
    ...(change.status !== undefined && { conversation_status: change.status }),
    ...(change.projectStatus !== undefined && { project_status: change.projectStatus }),
    ...(change.allowedChannels !== undefined && { allowed_channels: change.allowedChannels }),
    ...(change.taskComplete !== undefined && { task_complete: change.taskComplete ? 1 : 0 }),
    ...(change.handedOff !== undefined && { hand_off_to_human: change.handedOff }),
    ...(change.handOffReason !== undefined && { hand_off_to_human_reason: change.handOffReason }),
    ...(change.paused !== undefined && { paused: change.paused }),
    ...(window !== undefined && { reply_window: window ?? undefined }),
    ...(change.attributes !== undefined && { attributes: change.attributes }),
    updated_at: isoOf(nowMs),
  };
}

/**
 * Whether a row is about this channel and this address of ours. One that does not say is about all, but of
 * one project: whose customer it would be is not known otherwise. Two tenants may have one number, one over
 * WhatsApp and one over SMS.
 */
export function isUnder(
  row: Item,
  key: Pick<ConversationKey, "channelType" | "address">,
  settings: Pick<Settings, "channels" | "projects">,
): boolean {
  const type = textOf(row.channel_type);
  const at = addressOf(row);
  if (type !== "" && type !== key.channelType) return false;
  if (at !== "" && at !== key.address) return false;
  if (type !== "" && at !== "") return true;
  const project = projectAt(settings, { channelType: type || typeTold(row), address: at });
  return project !== undefined && project === projectAt(settings, key);
}

export function createdAtMsOf(row: Item): number {
  return seedInstant(row.created_at) ?? 0;
}

export function updatedAtMsOf(row: Item): number {
  return seedInstant(row.updated_at) ?? createdAtMsOf(row);
}

/** Our address, or the sender that the other system configured; providers write it with a prefix. */
function addressOf(row: Item): string {
  const given = foreignAddressIn(row) ?? "";
  return given.startsWith(PREFIX) ? given.slice(PREFIX.length) : given;
}

/** The type of channel, where only the name or the prefix of our address tells it. */
function typeTold(row: Item): string {
  const given = foreignAddressIn(row);
  const config = isObject(row.channel_config) ? row.channel_config : undefined;
  const isSender = given !== undefined && given === config?.whatsapp_sender;
  return isSender || given?.startsWith(PREFIX) ? WHATSAPP : "";
}

const OWNERS = ["channel_config", "ai_config", "openai_thread_id", "assistant_id_replies", "assistant_id"];

/** Whether an attribute of this name is read from the row itself, where our map has none. */
export function isOwners(name: string): boolean {
  return OWNERS.includes(name);
}

function attributesOf(row: Item): Record<string, unknown> {
  const owners = OWNERS.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]]));
  return { ...Object.fromEntries(owners), ...(isObject(row.attributes) && row.attributes) };
}

/** An invalid window counts as absent: the channel's window applies. */
function windowIn(value: unknown): WindowPolicy | undefined {
  const read = soundAs<WindowPolicy>(WINDOW_POLICY, value);
  return read.kind === "sound" ? read.value : undefined;
}

function textOf(value: unknown, otherwise = ""): string {
  return typeof value === "string" ? value : otherwise;
}

function countOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function listOf(value: unknown): string[] | undefined {
  if (value instanceof Set) return [...value].map(String);
  return Array.isArray(value) ? value.map(String) : undefined;
}

function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === "true" || value === "1";
}

/** The row of a conversation that another engine stored. */
export function importedRow(conversation: Conversation): Item {
  const { status } = conversation;
  const row = rowFrom(conversation);
  return {
    ...row,
    adopted_at: row.updated_at,
    // Its turn runs in the other engine, and nowhere else.
    conversation_status: status === "processing_reply" ? "new" : status,
  };
}

/** Nothing has changed it since it was imported. */
export function isAsImported({ adopted_at, updated_at }: Item): boolean {
  return adopted_at === updated_at;
}
