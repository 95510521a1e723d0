import { deliveriesKeptMs } from "../../../core/defaults.ts";
import type { ConversationKey } from "../../../model/conversation.ts";
import type { Fate } from "../../../model/staged.ts";
import type { AwsContext } from "../context.ts";
import { above, absent, all, any, type Condition, type Item, not } from "../dynamo/expression.ts";
import type { Put } from "../dynamo/store.ts";
import { claimIn } from "./claim.ts";
import { fullKey, keptUntil } from "./keys.ts";

/** What an incoming message has to know before anything else. */
export interface Deduped {
  /** The message has its fate: committed, dead, or refused for good. */
  readonly isDuplicate: boolean;
  /** Where an earlier delivery of it was to be staged. */
  readonly stagedIn: string | undefined;
  /** In which conversation of this sender's a worker found too much. The number may be another's by now. */
  readonly fullIn: string | undefined;
}

/** DEDUPE of a message, and where a note of a full conversation is, in one read. */
export async function dedupe(context: AwsContext, messageId: string, key: ConversationKey): Promise<Deduped> {
  const full = fullKey(key);
  const seen = seenKeys(context, messageId);
  const items = await context.store.getMany(
    "seen",
    [...seen, full].map((id) => ({ id })),
  );
  const nowMs = context.clock.nowMs();
  const alive = items.filter((item) => isAlive(item, nowMs));
  const [noted, own, before] = [full, ...seen].map((each) => alive.find(({ id }) => id === each));
  const known = own ?? before;
  const fullIn = noted?.full_in;
  return {
    isDuplicate: known?.fate !== undefined,
    stagedIn: known && claimIn(known),
    fullIn: typeof fullIn === "string" ? fullIn : undefined,
  };
}

/**
 * DEDUPE of an outbound: whether it has a fate under one of these ids. Read one by one, as the roles of those
 * who say something allow.
 */
export async function isRemembered(context: AwsContext, messageIds: readonly string[]): Promise<boolean> {
  const keys = messageIds.flatMap((messageId) => seenKeys(context, messageId));
  const items = await Promise.all(keys.map((id) => context.store.get("seen", { id })));
  const nowMs = context.clock.nowMs();
  return items.some((item) => item !== undefined && isKept(item, nowMs));
}

/** Where a message may be remembered: under our own key first. */
export function seenKeys({ installation }: AwsContext, messageId: string): readonly string[] {
  return [installation.seenKey(messageId), ...installation.seenKeysOfOldVersion(messageId)];
}

/** Where it may be stored that something was sent. */
export function sentKeys({ installation }: AwsContext, channel: string, providerId: string): Item[] {
  const own = installation.sentKey(channel, providerId);
  return [own, ...installation.sentKeysOfOldVersion(channel, providerId)].map((id) => ({ id }));
}

/** The ids that have a fate. */
export async function rememberedAmong(
  context: AwsContext,
  messageIds: readonly string[],
): Promise<Set<string>> {
  const byKey = new Map(messageIds.flatMap((id) => seenKeys(context, id).map((key) => [key, id])));
  const items = await context.store.getMany(
    "seen",
    [...byKey.keys()].map((id) => ({ id })),
  );
  const nowMs = context.clock.nowMs();
  const alive = items.filter((item) => isKept(item, nowMs));
  return new Set(alive.map(({ id }) => byKey.get(String(id))!));
}

/** Without a fate the item only says where the message waits. */
function isKept(item: Item, nowMs: number): boolean {
  return item.fate !== undefined && isAlive(item, nowMs);
}

/** The time is compared here: the table expires items late. An invalid one counts as expired. */
export function isAlive({ until_at_ms }: Item, nowMs: number): boolean {
  return typeof until_at_ms === "number" && until_at_ms > nowMs;
}

export function seenItem(context: AwsContext, messageId: string, fate: Fate): Item {
  const { clock, settings, installation } = context;
  return { id: installation.seenKey(messageId), fate, ...keptUntil(clock.nowMs() + settings.dedupeMs) };
}

/**
 * The message was refused, and is over. Unless it has another fate, or another delivery of it was to be
 * staged: then it is answered.
 */
export async function rememberRefused(context: AwsContext, messageId: string): Promise<void> {
  const { id, ...set } = seenItem(context, messageId, "refused");
  const isFree = all(absent("staged_in"), isForgotten(context.clock.nowMs()));
  await context.store.update("seen", { id }, { set }, isFree);
}

/** The message is not remembered, or no longer. */
export function isForgotten(nowMs: number): Condition {
  return any(absent("fate"), not(above("until_at_ms", nowMs)));
}

/** What we sent, so that a callback about it is told apart from one about another sender's message. */
export function sentItem(context: AwsContext, channel: string, providerId: string, turnId: string): Item {
  const { clock, settings, installation } = context;
  const id = installation.sentKey(channel, providerId);
  return { id, turn_id: turnId, ...keptUntil(clock.nowMs() + deliveriesKeptMs(settings)) };
}

export function putSent(context: AwsContext, channel: string, providerId: string, turnId: string): Put {
  return { kind: "put", table: "seen", item: sentItem(context, channel, providerId, turnId) };
}

export async function isSent(context: AwsContext, channel: string, providerId: string): Promise<boolean> {
  for (const key of sentKeys(context, channel, providerId)) {
    const item = await context.store.get("seen", key);
    if (item && isAlive(item, context.clock.nowMs())) return true;
  }
  return false;
}
