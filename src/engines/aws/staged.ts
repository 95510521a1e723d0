import type { ConversationState } from "../../core/state.ts";
import { type ClockReading, dueOf } from "../../core/take.ts";
import type { WindowPolicy } from "../../core/window.ts";
import { equal, type Item } from "./expression.ts";
import type { Site } from "./site.ts";
import { messagesOf, type StagedRow, stagedFrom } from "./stage-item.ts";
import { isNewer, newerVersion } from "./version.ts";

/** Everything staged in a conversation, in the order in which it came: a consistent read, every page of it. */
export async function stagedRows(site: Site, conversationId: string): Promise<StagedRow[]> {
  const items = await site.store.query("stage", { key: equal("conversation_id", conversationId) });
  return site.quarantine.sound("stage", items, stagedFrom).sort(byArrival);
}

/** The same for a turn, which may not pass over what a newer version staged between the others: order and all of it count. */
export async function stagedForTurn(site: Site, conversationId: string): Promise<StagedRow[]> {
  const items = await site.store.query("stage", { key: equal("conversation_id", conversationId) });
  if (items.some(isNewer)) throw newerVersion(conversationId);
  return site.quarantine.sound("stage", items, stagedFrom).sort(byArrival);
}

export async function isAnyStaged(site: Site, conversationId: string): Promise<boolean> {
  const key = equal("conversation_id", conversationId);
  return (await site.store.query("stage", { key, limit: 1, attributes: ["message_sid"] })).length > 0;
}

export function stagedCount(site: Site, conversationId: string): Promise<number> {
  return site.store.count("stage", { key: equal("conversation_id", conversationId) });
}

export function stageKey(conversationId: string, id: string): Item {
  return { conversation_id: conversationId, message_sid: id };
}

function byArrival(a: StagedRow, b: StagedRow): number {
  return a.arrivedAtMs - b.arrivedAtMs || positionOf(a) - positionOf(b) || a.sequence - b.sequence;
}

function positionOf(row: StagedRow): number {
  return row.kind === "message" ? row.message.position : 0;
}

/** When what is staged is due: messages by their window, an outbound since it was asked for. */
export function dueOfStaged(
  rows: readonly StagedRow[],
  state: ConversationState,
  policy: WindowPolicy,
  clock: ClockReading,
): number {
  const messages = messagesOf(rows);
  const outbounds = rows.flatMap((row) => (row.kind === "outbound" ? [row.arrivedAtMs] : []));
  if (messages.length === 0) return Math.min(...outbounds);
  return Math.min(...outbounds, dueOf(messages, state, policy, clock));
}
