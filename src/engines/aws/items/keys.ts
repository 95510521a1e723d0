import { createHash } from "node:crypto";
import type { ConversationKey } from "../../../model/conversation.ts";
import type { Item } from "../dynamo/expression.ts";

/** How many partitions share an index whose key would otherwise be one for all: a partition takes about 1,000 writes a second. */
const SHARDS = 4;

/** Keys of ours beside the conversations in `conversations-state`. No conversation's id begins like this. */
const OWN = "lull/";

/** Whether it is one of ours, and no conversation's. */
export function isOwn(id: string): boolean {
  return id.startsWith(OWN);
}

/** Holds the secret of the installation. */
export const INSTALLATION = `${OWN}installation`;
export const PAUSED = `${OWN}paused`;
export const PING = `${OWN}ping`;
export const SWEEP = `${OWN}sweep`;
/** Holds the time of a sweep: a clock that was set back shows there. */
export const CLOCK = `${OWN}clock`;

/** Two transactions at once on one item stand in each other's way. */
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

/** More partitions than this would make every look through them long. Each carries about 500 turns a second, which enter and leave. */
export const LEASE_SHARDS_MAX = 64;
export const LEASE_SHARDS = SHARDS;

/** Where a lease stands in the index over them. A number that changes moves nobody: whoever looks for leases looks at all partitions. */
export function leaseShardOf(id: string, count: number): string {
  return String(hash(id).readUInt32BE(0) % count);
}

export function leaseShards(count = LEASE_SHARDS_MAX): string[] {
  return Array.from({ length: count }, (_, at) => String(at));
}

/** As 0.1.0 made them, without a secret. Its memory is read until it is over. */
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

/** Where it says that too much waits in a person's conversation. Without a secret, like the next: it goes with the person. */
export function fullKey({ channelType, address, sender }: ConversationKey): string {
  return `full/${digest(JSON.stringify([channelType, address, sender]))}`;
}

/** Where refusals of somebody are kept who has no conversation, by a hash of their name. */
export function refusedPartition(hashedName: string): string {
  return `${OWN}refused/${hashedName}`;
}

/** Where a person's other name leads. */
export function aliasKey({ channelType, address }: ConversationKey, name: string): string {
  return `${OWN}alias/${digest(JSON.stringify([channelType, address, name]))}`;
}

/** Ids of turns and dead letters end in their conversation's: nothing has to be looked up to find it. */
export function idWithin(conversationId: string, unique: string): string {
  return `${unique}.${conversationId}`;
}

export function conversationWithin(id: string): string | undefined {
  const dot = id.indexOf(".");
  return dot === -1 ? undefined : id.slice(dot + 1) || undefined;
}

/** At most 36 letters, digits and dashes: what a transaction's token may have. Emulators take more; DynamoDB does not. */
export function transactionToken(...parts: readonly (string | number)[]): string {
  return hash(JSON.stringify(parts)).toString("hex").slice(0, 36);
}

/** Sorts as text in the order of time, then of `sequence`. */
export function inTime(atMs: number, sequence: number): string {
  return `${sortable(atMs, 15)}#${sortable(sequence, 9)}`;
}

/** A whole number that sorts as text like a number. */
export function sortable(number: number, digits: number): string {
  return String(Math.floor(number)).padStart(digits, "0");
}

export function conversationKeyOf(id: string): Item {
  return { conversation_id: id };
}

/** TTL counts whole seconds. */
export function ttl(atMs: number): number {
  return Math.ceil(atMs / 1_000);
}
