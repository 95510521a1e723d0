import { cutBatch } from "../../../core/batch.ts";
import type { StagedItem } from "../../../core/found.ts";
import { itemOf } from "../../../core/staged.ts";
import type { ConversationState } from "../../../core/state.ts";
import type { TakeDecision } from "../../../core/take-decision.ts";
import type { AwsContext } from "../context.ts";
import type { LeftBehind } from "../left-rows.ts";
import type { ConversationView } from "./conversation-view.ts";

/**
 * After a minute everything is read again: the note of a full conversation relies on it, and a provider's
 * time may put a new message first.
 */
const SEEN_MS = 60_000;

export function isFresh({ clock }: AwsContext, { seenAtMs }: LeftBehind): boolean {
  return Math.abs(clock.nowMs() - seenAtMs) < SEEN_MS;
}

/** Undefined if the next look must read all: nothing was left, or a draft was continued. */
export function leftBehind(
  { rows, rest, newest, newestChannel, seenAtMs }: ConversationView,
  { what, work, state }: Extract<TakeDecision, { kind: "turn" }>,
): LeftBehind | undefined {
  if (what === "draft" || state.leftBehindAtMs === undefined) return undefined;
  const taken = new Set(work.batchIds);
  const isLeft = ({ kind, id }: StagedItem) => kind === "message" && !taken.has(id);
  const items = [...rows.map(itemOf), ...rest].filter(isLeft);
  const place = newest && { channel: newest.channel, sender: newest.sender };
  return items.length === 0 ? undefined : { items, newest: place, newestChannel, seenAtMs };
}

/** What the next turn may take: what was tried before, and what comes first. */
export function nextOf(
  { settings }: AwsContext,
  { works }: ConversationState,
  { items }: LeftBehind,
): string[] {
  const ids = new Set(items.map(({ id }) => id));
  const tried = works.flatMap(({ messageIds }) => messageIds).filter((id) => ids.has(id));
  const first = cutBatch(items, settings).batch.map(({ id }) => id);
  return [...new Set([...tried, ...first])];
}
