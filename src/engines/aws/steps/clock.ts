import { CLOCK_SET_BACK_MS_MIN } from "../../../core/defaults.ts";
import type { ClockSetBack } from "../../../ports/engine.ts";
import type { AwsContext } from "../context.ts";
import { above, type Item } from "../dynamo/expression.ts";
import { CLOCK, conversationKeyOf } from "../items/keys.ts";
import { leasedIds } from "../items/lease-shards.ts";
import { isHeldBy, readState } from "../items/state.ts";

/** How often the time is stored: a smaller set-back may go unnoticed, and mutes no chat for longer. */
const NOTED_MS = 600_000;
/** How many sweeps look after a clock that was set back. */
const LOOKS = 2;
/**
 * For so many leases' length theirs are looked after: a worker that was frozen at the change may write its
 * lease of the earlier clock once more when it wakes, and die.
 */
const LEASES_LOOKED_AFTER = 5;

/** What a sweep finds out about the clock. */
export interface ClockLook {
  /** The clock was set back lately: windows that are far off are woken, page by page as they are swept. */
  readonly isSetBack: boolean;
  /** Given once. */
  readonly report?: ClockSetBack;
}

/**
 * Windows and leases of a fast clock would outlast their time by as much as it was fast. A machine in the
 * cloud has a good clock; one that takes part from elsewhere may not. What a turn itself waits for is found
 * at the next look: a queue's delays depend on no clock of ours.
 */
export async function lookAtClock(context: AwsContext): Promise<ClockLook> {
  const nowMs = context.clock.nowMs();
  const key = conversationKeyOf(CLOCK);
  const item = await context.store.get("state", key);
  const notedAtMs = numberIn(item, "clock_at_ms") ?? 0;
  const byMs = notedAtMs - nowMs;
  const wasSetBack = byMs >= CLOCK_SET_BACK_MS_MIN;
  const setBackAtMs = wasSetBack ? nowMs : numberIn(item, "set_back_at_ms");
  // For two sweeps: an index shows new leases a moment late, and requests were under way at the change.
  const { sweepMs, leaseMs } = context.settings;
  const isWithin = (ms: number) => setBackAtMs !== undefined && nowMs < setBackAtMs + ms;
  const isSetBack = isWithin(LOOKS * sweepMs);
  const areLeasesLookedAfter = isSetBack || isWithin(LEASES_LOOKED_AFTER * leaseMs);
  // The note first: a round that is cut short must not begin anew for ever.
  if (wasSetBack || nowMs - notedAtMs >= NOTED_MS)
    await context.store.put("state", {
      ...key,
      clock_at_ms: nowMs,
      ...(areLeasesLookedAfter && { set_back_at_ms: setBackAtMs }),
    });
  if (!areLeasesLookedAfter) return { isSetBack };
  const conversations = await shortenLeases(context, nowMs);
  return wasSetBack ? { isSetBack, report: { byMs, conversations } } : { isSetBack };
}

function numberIn(item: Item | undefined, name: string): number | undefined {
  const value = item?.[name];
  return typeof value === "number" ? value : undefined;
}

async function shortenLeases(context: AwsContext, nowMs: number): Promise<number> {
  const aheadOfMs = nowMs + context.settings.clockSkewMs + CLOCK_SET_BACK_MS_MIN;
  let count = 0;
  for (const id of await leasedIds(context, { taken: above("lease_taken_at_ms", aheadOfMs) }))
    if (await shorten(context, id, nowMs)) count += 1;
  return count;
}

/** As if it had been taken now: its holder, if it lives, renews it long before it ends. */
async function shorten(context: AwsContext, id: string, nowMs: number): Promise<boolean> {
  const { lease } = (await readState(context, id)).state;
  if (!lease || lease.takenAtMs <= nowMs) return false;
  const untilAtMs = nowMs + context.settings.leaseMs;
  const set = { lease_taken_at_ms: nowMs, lease_until_at_ms: untilAtMs, swept_at_ms: undefined };
  const { kind } = await context.store.update("state", conversationKeyOf(id), { set }, isHeldBy(lease.token));
  return kind === "done";
}
