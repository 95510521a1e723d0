import type { LockRecord } from "../../ports/inspector.ts";
import { listCommand } from "../list-command.ts";
import { relativeTime } from "../output/times.ts";

export const locks = listCommand<LockRecord>(
  "Windows and leases as they stand now: what gathers, what is being answered, by which worker.",
  (inspector, page) => inspector.locks(page),
  (nowMs) => ({
    head: ["conversation", "staged", "due", "lease", "held by", "attempts", "draft"],
    row: (lock) => rowOf(lock, nowMs),
    none: "Nothing gathers and nothing is being answered.",
  }),
);

function rowOf(
  { conversationId, window, lease, staged, attempts, draft }: LockRecord,
  nowMs: number,
): string[] {
  return [
    conversationId,
    String(staged),
    window ? relativeTime(window.dueAtMs, nowMs) : "-",
    lease ? leaseOf(lease.untilAtMs, nowMs) : "-",
    lease?.holder ?? "-",
    String(attempts),
    draft ? "yes" : "-",
  ];
}

function leaseOf(untilAtMs: number, nowMs: number): string {
  return untilAtMs > nowMs
    ? `ends ${relativeTime(untilAtMs, nowMs)}`
    : `lapsed ${relativeTime(untilAtMs, nowMs)}`;
}
