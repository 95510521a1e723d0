import type { DeliveryStatus } from "../../../model/message.ts";
import type { AwsContext } from "../context.ts";
import { above, absent, any, type Condition, type Item, not, present } from "../dynamo/expression.ts";
import type { Put } from "../dynamo/store.ts";
import { ttl } from "./keys.ts";

export type Fate = "committed" | "dead";

/** How long a provider may still tell what became of something that we sent. */
const DELIVERY_MS = 7 * 24 * 3_600_000;

/** DEDUPE: whether the message was answered for. The time is compared here: the table forgets when it gets round to it. */
export async function isRemembered(site: AwsContext, messageId: string): Promise<boolean> {
  for (const id of seenKeys(site, messageId)) {
    const item = await site.store.get("seen", { id });
    if (item && isKept(item, site.clock.nowMs())) return true;
  }
  return false;
}

/** Where a message may be remembered: under our own key first. */
export function seenKeys({ installation }: AwsContext, messageId: string): readonly string[] {
  return [installation.seenKey(messageId), ...installation.seenBefore(messageId)];
}

/** Where the provider's word about a send may be kept. */
export function sentKeys({ installation }: AwsContext, channel: string, providerId: string): Item[] {
  const own = installation.sentKey(channel, providerId);
  return [own, ...installation.sentBefore(channel, providerId)].map((id) => ({ id }));
}

/** Those of the ids that were answered for. */
export async function rememberedAmong(site: AwsContext, messageIds: readonly string[]): Promise<Set<string>> {
  const byKey = new Map(messageIds.flatMap((id) => seenKeys(site, id).map((key) => [key, id])));
  const items = await site.store.getMany(
    "seen",
    [...byKey.keys()].map((id) => ({ id })),
  );
  const nowMs = site.clock.nowMs();
  const alive = items.filter((item) => isKept(item, nowMs));
  return new Set(alive.map(({ id }) => byKey.get(String(id))!));
}

/** A time that is none has passed: what is not ours is no memory of a message. Without a fate it only says where the message waits. */
function isKept({ fate, until_at_ms }: Item, nowMs: number): boolean {
  return fate !== undefined && typeof until_at_ms === "number" && until_at_ms > nowMs;
}

export function seenItem(site: AwsContext, messageId: string, fate: Fate): Item {
  const untilAtMs = site.clock.nowMs() + site.settings.dedupeMs;
  return {
    id: site.installation.seenKey(messageId),
    fate,
    until_at_ms: untilAtMs,
    expires_at: ttl(untilAtMs),
  };
}

/** Nobody answered for it, as far as is remembered. */
export function isForgotten(nowMs: number): Condition {
  return any(absent("fate"), not(above("until_at_ms", nowMs)));
}

/** What we sent, so that the provider's word about it is told apart from word about somebody else's. */
function sentItem(site: AwsContext, channel: string, providerId: string, turnId: string): Item {
  const untilAtMs = site.clock.nowMs() + DELIVERY_MS;
  return {
    id: site.installation.sentKey(channel, providerId),
    turn_id: turnId,
    status: "sent",
    until_at_ms: untilAtMs,
    expires_at: ttl(untilAtMs),
  };
}

export function putSent(site: AwsContext, channel: string, providerId: string, turnId: string): Put {
  return { kind: "put", table: "seen", item: sentItem(site, channel, providerId, turnId) };
}

/** False when nothing of that id was ever sent, as far as is known: then it is not kept. */
export async function recordDelivery(
  site: AwsContext,
  channel: string,
  { providerId, status, errorCode }: DeliveryStatus,
  turnId: string | undefined,
): Promise<boolean> {
  const untilAtMs = site.clock.nowMs() + DELIVERY_MS;
  const set = {
    status,
    until_at_ms: untilAtMs,
    expires_at: ttl(untilAtMs),
    ...(errorCode !== undefined && { error_code: errorCode }),
    ...(turnId !== undefined && { turn_id: turnId }),
  };
  const condition = turnId === undefined ? present("id") : undefined;
  for (const key of sentKeys(site, channel, providerId)) {
    const { kind } = await site.store.update("seen", key, { set }, condition);
    if (kind === "done") return true;
  }
  return false;
}
