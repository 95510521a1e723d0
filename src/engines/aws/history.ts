import { fitting } from "../../core/history.ts";
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

/** The same, newest first, but no page more than their bytes need. */
async function latestWithin(
  site: Site,
  id: string,
  max: number,
  bytesMax: number,
): Promise<{ items: Item[]; isAll: boolean }> {
  const key = all(equal("conversation_id", id), beginsWith("item_id", MESSAGE));
  const items: Item[] = [];
  const sizes: number[] = [];
  let from: Item | undefined;
  do {
    const limit = max - items.length;
    const page = await site.store.queryPage("messages", { key, newestFirst: true, limit, from });
    items.push(...page.items);
    sizes.push(...page.items.map(sizeOf));
    from = page.next;
  } while (from && items.length < max && fitting(sizes, bytesMax) === items.length);
  const fits = fitting(sizes, bytesMax);
  return { items: items.slice(0, fits), isAll: !from && fits === items.length };
}

function sizeOf(item: unknown): number {
  return Buffer.byteLength(JSON.stringify(item));
}

/** Our own record, and before it what another system kept in the conversation's row. */
export async function history(
  site: Site,
  id: string,
  messagesMax: number,
  bytesMax = Number.MAX_SAFE_INTEGER,
): Promise<HistoryMessage[]> {
  const { items, isAll } = await latestWithin(site, id, messagesMax, bytesMax);
  const sound = site.quarantine.sound("messages", items.reverse(), historyFrom);
  const own = sound.filter(({ atMs }) => isKept(site, atMs));
  if (!isAll || items.length >= messagesMax) return own;
  const before = (await rowOf(site, id))?.messages;
  if (!Array.isArray(before)) return own;
  const legacy = before.flatMap((entry) => legacyFrom(entry) ?? []);
  const latest = [...legacy, ...own].slice(-messagesMax);
  return latest.slice(latest.length - fitting(latest.map(sizeOf).reverse(), bytesMax));
}

export async function turnsOf(site: Site, id: string, max: number): Promise<TurnRecord[]> {
  const turns = site.quarantine.sound("messages", await latestItems(site, id, TURN, max), turnFrom);
  return turns.filter(({ committedAtMs }) => isKept(site, committedAtMs));
}

/** The table drops what is past its retention when it gets round to it; nobody sees it meanwhile. */
function isKept({ settings, clock }: Site, atMs: number): boolean {
  return settings.retentionMs === 0 || atMs >= clock.nowMs() - settings.retentionMs;
}
