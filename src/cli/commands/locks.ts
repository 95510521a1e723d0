import type { LockRecord } from "../../ports/inspector.ts";
import { listCommand } from "../list-command.ts";
import { relativeTime } from "../output/times.ts";

export const locks = listCommand<LockRecord>(
  `Windows and leases as they stand now: what gathers, what is being answered, by which worker and since when,
and what waits for another system (honourStatus).`,
  (inspector, page) => inspector.locks(page),
  (nowMs) => ({
    head: ["conversation", "staged", "due", "lease", "held by", "since", "attempts", "draft"],
    row: (lock) => rowOf(lock, nowMs),
    none: "Nothing gathers and nothing is being answered.",
  }),
);

function rowOf(lock: LockRecord, nowMs: number): string[] {
  const { conversationId, window, lease, staged, attempts, draft } = lock;
  const held = heldBy(lock);
  return [
    conversationId,
    String(staged),
    window ? relativeTime(window.dueAtMs, nowMs) : "-",
    lease ? leaseOf(lease.untilAtMs, nowMs) : "-",
    held?.by ?? "-",
    held ? relativeTime(held.sinceAtMs, nowMs) : "-",
    String(attempts),
    draft ? "yes" : "-",
  ];
}

/** A worker of ours that only looks does not have it: the other system still does. */
function heldBy({ lease, elsewhere }: LockRecord): { by: string; sinceAtMs: number } | undefined {
  if (elsewhere) return { by: "another system", sinceAtMs: elsewhere.sinceAtMs };
  return lease && { by: lease.holder, sinceAtMs: lease.takenAtMs };
}

function leaseOf(untilAtMs: number, nowMs: number): string {
  return untilAtMs > nowMs
    ? `ends ${relativeTime(untilAtMs, nowMs)}`
    : `lapsed ${relativeTime(untilAtMs, nowMs)}`;
}
