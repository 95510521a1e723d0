import { refusalsKeptMs } from "../../../core/defaults.ts";
import type { Sound } from "../../../core/shape.ts";
import { soundRefusal } from "../../../core/sound-records.ts";
import type { Refusal, RefusalCode } from "../../../model/refusal.ts";
import type { StageRequest } from "../../../ports/engine.ts";
import type { AwsContext } from "../context.ts";
import type { Item } from "../dynamo/expression.ts";
import { inTime, shardOf, shards, ttl } from "./keys.ts";

/** What is received: the request, its message's id, and the order in which it came. */
export interface Receipt extends StageRequest {
  readonly id: string;
  readonly sequence: number;
}

/** Enough to recognise a person, while a caller can send any length. */
export const shortName = (name: string) => name.slice(0, 1_024);

function refusalShard(shard: string): string {
  return `refusal#${shard}`;
}

/** The lists that refusals are on, newest first. */
export function refusalLists(): string[] {
  return shards().map(refusalShard);
}

/** The table removes expired refusals late; until then they are hidden here. */
export function refusalsSinceMs({ clock, settings }: AwsContext): number {
  return Math.max(0, clock.nowMs() - refusalsKeptMs(settings));
}

/** A sender without a conversation: the refusal is stored under their name, and on a partitioned list. */
export function refusalItem(
  context: AwsContext,
  { arrival, id, sequence }: Receipt,
  code: RefusalCode,
  conversationId: string | undefined,
): Item {
  const atMs = context.clock.nowMs();
  const name = shortName(arrival.sender);
  const when = `${inTime(atMs, sequence)}#${context.newId().slice(0, 8)}`;
  return {
    conversation_id: conversationId ?? context.installation.refusedPartition(name),
    item_id: `r#${when}`,
    listing: refusalShard(shardOf(id)),
    listed_at: when,
    message_sid: shortName(id),
    channel: arrival.channel,
    sender: name,
    code,
    at_ms: atMs,
    in_conversation: conversationId !== undefined,
    expires_at: ttl(atMs + refusalsKeptMs(context.settings)),
  };
}

export function refusalFrom(item: Item): Sound<Refusal> {
  const {
    message_sid: messageId,
    conversation_id: conversationId,
    channel,
    sender,
    code,
    at_ms: atMs,
  } = item;
  const about = item.in_conversation === true ? { conversationId } : {};
  return soundRefusal({ messageId, ...about, channel, sender, code, atMs });
}
