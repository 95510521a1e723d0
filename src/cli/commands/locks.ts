import type { LockRecord } from "../../ports/inspector.ts";
import { type Command, PAGE_OPTIONS, pageOf } from "../command.ts";
import { withData } from "../data.ts";
import { printListing } from "../output/print.ts";
import { relativeTime } from "../output/times.ts";

export const locks: Command = {
  about: "Windows and leases as they stand now: what gathers, what is being answered, by which worker.",
  options: PAGE_OPTIONS,
  run: (call) =>
    withData(call, async ({ engine }) => {
      const nowMs = call.io.nowMs();
      printListing(call, await engine.inspector.locks(pageOf(call)), {
        head: ["conversation", "staged", "due", "lease", "held by", "attempts", "draft"],
        row: (lock) => rowOf(lock, nowMs),
        none: "Nothing gathers and nothing is being answered.",
      });
      return 0;
    }),
};

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
