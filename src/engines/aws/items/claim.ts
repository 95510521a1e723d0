import type { AwsContext } from "../context.ts";
import { above, absent, all, any, type Item, not } from "../dynamo/expression.ts";
import type { Action } from "../dynamo/store.ts";
import { keptUntil } from "./keys.ts";

/**
 * In which conversation a message waits is decided once, before it is staged. Between two deliveries of it, a
 * task may be completed and the next conversation begun: each delivery would find another conversation, and
 * the message would be answered in both. The claim is in the item that remembers the message, which every
 * delivery reads anyway, and is forgotten after the same time.
 */
export type Claim =
  | { readonly kind: "here" }
  /** Another delivery of it came first, and found another conversation. */
  | { readonly kind: "elsewhere"; readonly conversationId: string }
  | { readonly kind: "answered" };

export async function claim(context: AwsContext, messageId: string, conversationId: string): Promise<Claim> {
  const { key, change, condition } = claiming(context, messageId, conversationId);
  const { kind, item } = await context.store.update("seen", key, change, condition);
  return kind === "done" ? { kind: "here" } : claimStanding(item, conversationId);
}

/** The claim as an action of a transaction. */
export function claiming(
  context: AwsContext,
  messageId: string,
  conversationId: string,
): Required<Extract<Action, { kind: "update" }>> {
  const isPast = not(above("until_at_ms", context.clock.nowMs()));
  const isNeither = all(absent("fate"), absent("staged_in"));
  return {
    kind: "update",
    table: "seen",
    key: { id: context.installation.seenKey(messageId) },
    change: { set: claimed(context, conversationId) },
    condition: any(isPast, isNeither),
  };
}

/** What the item says that refused a claim. */
export function claimStanding(item: Item | undefined, conversationId: string): Claim {
  if (item?.fate !== undefined) return { kind: "answered" };
  const standing = claimIn(item ?? {});
  // Ours, if the answer to our own write got lost.
  if (standing === undefined || standing === conversationId) return { kind: "here" };
  return { kind: "elsewhere", conversationId: standing };
}

/** Overrides an earlier claim: its conversation is gone. */
export async function claimOver(
  context: AwsContext,
  messageId: string,
  conversationId: string,
): Promise<void> {
  const set = claimed(context, conversationId);
  await context.store.update("seen", { id: context.installation.seenKey(messageId) }, { set });
}

/** Where a message without a fate is staged, as its item in `conversations-seen` says. */
export function claimIn({ fate, staged_in }: Item): string | undefined {
  return fate === undefined && typeof staged_in === "string" ? staged_in : undefined;
}

/** Back from a dead letter: it has no fate any more. */
export function reclaim(context: AwsContext, messageId: string, conversationId: string): Action {
  const change = { set: claimed(context, conversationId) };
  return { kind: "update", table: "seen", key: { id: context.installation.seenKey(messageId) }, change };
}

/** It waits in another conversation from now on. If it was answered meanwhile, that stays known. */
export function moveClaim(context: AwsContext, messageId: string, conversationId: string): Action {
  const { staged_in, until_at_ms, expires_at } = claimed(context, conversationId);
  const change = { set: { staged_in }, setIfAbsent: { until_at_ms, expires_at } };
  return { kind: "update", table: "seen", key: { id: context.installation.seenKey(messageId) }, change };
}

function claimed({ clock, settings }: AwsContext, conversationId: string): Item {
  return { staged_in: conversationId, fate: undefined, ...keptUntil(clock.nowMs() + settings.dedupeMs) };
}
