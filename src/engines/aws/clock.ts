import { CLOCK_SET_BACK_MS_MIN } from "../../core/defaults.ts";
import type { ClockSetBack } from "../../ports/engine.ts";
import { above, all, equal, type Item } from "./expression.ts";
import { CLOCK, conversationKeyOf, shards } from "./keys.ts";
import type { Site } from "./site.ts";
import { isHeldBy, readState } from "./state.ts";
import { LEASED } from "./tables.ts";
import { wakeAhead } from "./window.ts";

/** How often the time is written down: a clock that is set back by less than this may go unnoticed, and mutes nobody for longer. */
const MARK_MS = 600_000;

/**
 * Windows and leases that a fast clock wrote would outlast their time by as much as it was fast. A machine in the cloud has a good clock;
 * one that takes part from elsewhere may not. What a turn itself waits for is found at the next look: a queue's delays know no clock.
 */
export async function healClock(site: Site): Promise<ClockSetBack | undefined> {
  const nowMs = site.clock.nowMs();
  const key = conversationKeyOf(CLOCK);
  const item = await site.store.get("state", key);
  const markedAtMs = numberIn(item, "clock_at_ms") ?? 0;
  const byMs = markedAtMs - nowMs;
  const wasSetBack = byMs >= CLOCK_SET_BACK_MS_MIN;
  const setBackAtMs = numberIn(item, "set_back_at_ms");
  // Once more a sweep later: an index shows the latest leases a moment late, and requests were on their way.
  const isSecondLook = setBackAtMs !== undefined && nowMs >= setBackAtMs + site.settings.sweepMs;
  if (!wasSetBack && !isSecondLook && nowMs - markedAtMs < MARK_MS) return undefined;
  const conversations = wasSetBack || isSecondLook ? await heal(site, nowMs) : 0;
  await site.store.put("state", { ...key, clock_at_ms: nowMs, ...(wasSetBack && { set_back_at_ms: nowMs }) });
  return wasSetBack ? { byMs, conversations } : undefined;
}

function numberIn(item: Item | undefined, name: string): number | undefined {
  const value = item?.[name];
  return typeof value === "number" ? value : undefined;
}

async function heal(site: Site, nowMs: number): Promise<number> {
  const aheadOfMs = nowMs + site.settings.clockSkewMs + CLOCK_SET_BACK_MS_MIN;
  let count = await wakeAhead(site, aheadOfMs);
  for (const shard of shards()) {
    const key = all(equal("lease_shard", shard), above("lease_taken_at_ms", aheadOfMs));
    for (const { conversation_id } of await site.store.query("state", { index: LEASED, key })) {
      count += (await shorten(site, String(conversation_id), nowMs)) ? 1 : 0;
    }
  }
  return count;
}

/** As if it had been taken now: its holder, if it lives, renews it long before it ends. */
async function shorten(site: Site, id: string, nowMs: number): Promise<boolean> {
  const { lease } = (await readState(site, id)).state;
  if (!lease || lease.takenAtMs <= nowMs) return false;
  const untilAtMs = nowMs + site.settings.leaseMs;
  const set = { lease_taken_at_ms: nowMs, lease_until_at_ms: untilAtMs, swept_at_ms: undefined };
  const { kind } = await site.store.update("state", conversationKeyOf(id), { set }, isHeldBy(lease.token));
  return kind === "done";
}
