import { createHash } from "node:crypto";
import type { ConversationKey } from "../../../model/conversation.ts";
import type { Item } from "../dynamo/expression.ts";

/**
 * Over how many partitions an index is spread that would otherwise have one key for all: a partition takes
 * about 1,000 writes a second.
 */
const SHARDS = 4;

/** Our own keys beside the conversations in `conversations-state`. No conversation's id begins like this. */
const OWN = "lull/";

/** Whether the id is one of our own keys, and no conversation's. */
export function isOwn(id: string): boolean {
  return id.startsWith(OWN);
}

/** Holds the secret of the installation. */
export const INSTALLATION = `${OWN}installation`;
/** Holds what operators set for all, or for a project. Its name is from when that was a pause alone. */
export const CONTROLS = `${OWN}paused`;
export const PING = `${OWN}ping`;
export const SWEEP = `${OWN}sweep`;
/** Holds the time of a sweep, which shows that a clock was set back. */
export const CLOCK = `${OWN}clock`;
/** For how long ids were remembered, and until when. */
export const MEMORIES = `${OWN}memories`;

/** Two transactions on one item at once conflict, so turns are counted on this many items. */
const TURN_COUNTS = 64;

/** Where a turn is counted, in `conversations-messages`. */
export function turnCountKey(id: string): Item {
  return {
    conversation_id: `${OWN}turns/${shardOf(id)}`,
    item_id: String(hash(id).readUInt32BE(4) % TURN_COUNTS),
  };
}

export function turnCountPartitions(): string[] {
  return shards().map((shard) => `${OWN}turns/${shard}`);
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

export function shardOf(id: string): string {
  return String(hash(id).readUInt32BE(0) % SHARDS);
}

export function shards(): string[] {
  return Array.from({ length: SHARDS }, (_, at) => String(at));
}

/**
 * The most partitions: with more, every look through them would take long. Each carries about 500 turns a
 * second, which enter and leave.
 */
export const LEASE_SHARDS_MAX = 64;
export const LEASE_SHARDS = SHARDS;

/**
 * A lease's partition in the index. A changed number moves no lease: sweeps search every possible partition
 * once in a while.
 */
export function leaseShardOf(id: string, count: number): string {
  return String(hash(id).readUInt32BE(0) % count);
}

export function leaseShards(count = LEASE_SHARDS_MAX): string[] {
  return Array.from({ length: count }, (_, at) => String(at));
}

/** As 0.1.0 made them, without a secret. They are read until its memory has expired. */
export function plainSeenKey(messageId: string): string {
  return `in/${digest(messageId)}`;
}

export function plainSentKey(channel: string, providerId: string): string {
  return `out/${digest(`${channel}/${providerId}`)}`;
}

/** For keys that would be too long. */
export function digest(text: string): string {
  return hash(text).toString("base64url");
}

/**
 * Where it is noted in which conversation of a person too much waits. Without the installation's secret: it
 * is erased with the person.
 */
export function fullKey({ channelType, address, sender }: ConversationKey): string {
  return `full/${digest(JSON.stringify([channelType, address, sender]))}`;
}

/** Where it is noted that too much waits in a conversation. */
export function fullNoteKey(conversationId: string): Item {
  return { id: `full-note/${conversationId}` };
}

/** Where refusals of a person without a conversation are kept, by a hash of the name. */
export function refusedPartition(hashedName: string): string {
  return `${OWN}refused/${hashedName}`;
}

/** Where it is noted that the person of this name is being erased, by a hash of the name. */
export function erasingKey(hashedName: string): string {
  return `${OWN}erasing/${hashedName}`;
}

/** Where the record of a name is stored. */
export function aliasKey({ channelType, address }: ConversationKey, name: string): string {
  return `${OWN}alias/${digest(JSON.stringify([channelType, address, name]))}`;
}

/** At most 36 letters, digits and dashes: the limit of a transaction's token. Emulators take more. */
export function transactionToken(...parts: readonly (string | number)[]): string {
  return hash(JSON.stringify(parts)).toString("hex").slice(0, 36);
}

/** Sorts as text in the order of time, then of `sequence`. */
export function inTime(atMs: number, sequence: number): string {
  return `${sortable(atMs, 15)}#${sortable(sequence, 9)}`;
}

/** A whole number as text that sorts like the number. */
export function sortable(number: number, digits: number): string {
  return String(Math.floor(number)).padStart(digits, "0");
}

export function conversationKeyOf(id: string): Item {
  return { conversation_id: id };
}

/** For items that are past this time: readers compare it, the table removes them some time after. */
export function keptUntil(atMs: number): Item {
  return { until_at_ms: atMs, expires_at: ttl(atMs) };
}

/** TTL counts whole seconds. */
export function ttl(atMs: number): number {
  return Math.ceil(atMs / 1_000);
}
