import type { Settings } from "../model/settings.ts";
import type { WindowPolicy } from "../model/window.ts";
import { isRunning } from "./lease.ts";
import { closesAtMs, windowInForce } from "./window.ts";

/** What a conversation does now, as its customer is told. */
export interface Activity {
  readonly state: "idle" | "gathering" | "answering";
  /** When the running turn was taken; absent where it waits for its answer without a lease. */
  readonly answeringSinceAtMs?: number;
  /** When the open window closes. */
  readonly dueAtMs?: number;
}

interface Arrived {
  readonly arrivedAtMs: number;
  readonly channel: string;
}

/** What is looked at of a conversation: its record, its lock, and the latest of what waits in it. */
interface Standing {
  readonly conversation: { readonly window?: WindowPolicy };
  readonly lock?: {
    readonly window?: { readonly dueAtMs: number };
    readonly lease?: { readonly turnId?: string; readonly takenAtMs: number; readonly untilAtMs: number };
    readonly draft: boolean;
  };
  readonly staged: readonly Arrived[];
}

/**
 * A lease outlives its holder's process, so only one that has not run out counts; and a worker that only
 * looks holds one as well, without a turn. A draft without a lease awaits its answer.
 */
export function activityOf(
  { conversation, lock, staged }: Standing,
  settings: Pick<Settings, "channels" | "window" | "clockSkewMs">,
  nowMs: number,
): Activity {
  const held = lock?.lease;
  const lease = isRunning(held, nowMs, settings.clockSkewMs) ? held : undefined;
  const waiting = staged.filter(({ arrivedAtMs }) => arrivedAtMs > (lease?.takenAtMs ?? 0));
  const policy = windowInForce(settings, conversation, waiting.at(-1)?.channel);
  const due = lock?.window && { dueAtMs: Math.max(lock.window.dueAtMs, quietUntilMs(waiting, policy)) };
  if (lease) return { state: "answering", answeringSinceAtMs: lease.takenAtMs, ...due };
  if (lock?.draft) return { state: "answering", ...due };
  return { state: staged.length > 0 || lock?.window ? "gathering" : "idle", ...due };
}

/** A quiet window's row may keep its first due time until a worker looks: what holds is said. */
function quietUntilMs(waiting: readonly Arrived[], policy: WindowPolicy): number {
  if (policy.kind !== "quiet" || waiting.length === 0) return 0;
  const arrivals = waiting.map(({ arrivedAtMs }) => arrivedAtMs);
  const span = { oldestArrivalAtMs: Math.min(...arrivals), newestArrivalAtMs: Math.max(...arrivals) };
  return closesAtMs(span, policy);
}
