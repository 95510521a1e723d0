import type { HistoryMessage } from "../../ports/conversations.ts";
import type { TurnRecord } from "../../ports/inspector.ts";
import { all, beginsWith, equal, type Item } from "./expression.ts";
import { rowOf } from "./finding.ts";
import { historyFrom, legacyFrom, MESSAGE, TURN, turnFrom } from "./message-item.ts";
import type { Site } from "./site.ts";

/** The latest items of one kind in a conversation's partition, oldest first: costs the same in a long conversation as in a short one. */
export async function latestItems(site: Site, id: string, kind: string, max: number): Promise<Item[]> {
  const key = all(equal("conversation_id", id), beginsWith("item_id", kind));
  return (await site.store.query("messages", { key, newestFirst: true, limit: max })).reverse();
}

/** Our own record, and before it what another system kept in the conversation's row. */
export async function history(site: Site, id: string, messagesMax: number): Promise<HistoryMessage[]> {
  const items = await latestItems(site, id, MESSAGE, messagesMax);
  const own = site.quarantine.sound("messages", items, historyFrom).filter(({ atMs }) => isKept(site, atMs));
  if (items.length >= messagesMax) return own;
  const before = (await rowOf(site, id))?.messages;
  if (!Array.isArray(before)) return own;
  const legacy = before.flatMap((entry) => legacyFrom(entry) ?? []);
  return [...legacy, ...own].slice(-messagesMax);
}

export async function turnsOf(site: Site, id: string, max: number): Promise<TurnRecord[]> {
  const turns = site.quarantine.sound("messages", await latestItems(site, id, TURN, max), turnFrom);
  return turns.filter(({ committedAtMs }) => isKept(site, committedAtMs));
}

/** The table drops what is past its retention when it gets round to it; nobody sees it meanwhile. */
function isKept({ settings, clock }: Site, atMs: number): boolean {
  return settings.retentionMs === 0 || atMs >= clock.nowMs() - settings.retentionMs;
}
