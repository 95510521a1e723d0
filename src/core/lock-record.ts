import type { LeaseState } from "./lease.ts";
import type { ConversationState } from "./state.ts";

/** How a state is shown to operators; the engine adds how much is staged. */
export function lockRecord(conversationId: string, state: ConversationState) {
  const { window, lease, draft, works, elsewhere } = state;
  return {
    conversationId,
    ...(window && { window: { id: window.id, dueAtMs: window.dueAtMs } }),
    ...(lease && { lease: shownLease(lease) }),
    ...(elsewhere && { elsewhere: { sinceAtMs: elsewhere.waitingSinceAtMs } }),
    attempts: Math.max(0, ...works.map(({ attempts }) => attempts)),
    draft: draft !== undefined,
  };
}

function shownLease({ holder, untilAtMs, takenAtMs, turnId }: LeaseState) {
  return { holder, untilAtMs, takenAtMs, ...(turnId !== "" && { turnId }) };
}
