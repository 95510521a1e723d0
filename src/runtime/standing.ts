import { withoutTry } from "../core/reason.ts";
import type { LockRecord } from "../ports/inspector.ts";

/** Why turns fail at present. */
export interface FailingReason {
  readonly reason: string;
  /** How many conversations wait because of it. */
  readonly conversations: number;
  /** Since when, where it is an outage. */
  readonly sinceAtMs?: number;
  /** When the first of them is tried again. */
  readonly againAtMs?: number;
}

/** How it stands with all that waits. */
export interface Standing {
  /** Conversations with messages that wait, those included that are being answered. */
  readonly waiting: number;
  readonly answering: number;
  /** Of those that no worker has and that do not fail: when the first should be taken. */
  readonly oldestDueAtMs?: number;
  /** Most conversations first. */
  readonly failing: readonly FailingReason[];
}

export function standingOf(locks: readonly LockRecord[], nowMs: number): Standing {
  const isHeld = ({ lease }: LockRecord) => lease?.turnId !== undefined && lease.untilAtMs > nowMs;
  const isToTake = (lock: LockRecord) => !isHeld(lock) && lock.failing === undefined;
  const due = locks.filter(isToTake).flatMap(({ window }) => window?.dueAtMs ?? []);
  return {
    waiting: locks.filter(({ staged }) => staged > 0).length,
    answering: locks.filter(isHeld).length,
    ...earliest("oldestDueAtMs", due),
    failing: reasonsOf(locks),
  };
}

function reasonsOf(locks: readonly LockRecord[]): FailingReason[] {
  const failing = locks.flatMap((lock) => lock.failing ?? []);
  const byReason = Map.groupBy(failing, ({ reason }) => withoutTry(reason));
  const reasons = [...byReason].map(([reason, of]) => ({
    reason,
    conversations: of.length,
    ...earliest(
      "sinceAtMs",
      of.flatMap(({ sinceAtMs }) => sinceAtMs ?? []),
    ),
    ...earliest(
      "againAtMs",
      of.flatMap(({ againAtMs }) => againAtMs ?? []),
    ),
  }));
  return reasons.sort((one, other) => other.conversations - one.conversations);
}

function earliest<K extends string>(key: K, times: readonly number[]): { readonly [key in K]?: number } {
  const first = times.reduce((least, each) => Math.min(least, each), Infinity);
  return (times.length === 0 ? {} : { [key]: first }) as { readonly [key in K]?: number };
}
