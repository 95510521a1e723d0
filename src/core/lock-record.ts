import type { ConversationState } from "./state.ts";

/** How a state is shown to operators; the engine adds how much is staged. */
export function lockRecord(conversationId: string, { window, lease, draft, works }: ConversationState) {
  return {
    conversationId,
    ...(window && { window: { id: window.id, dueAtMs: window.dueAtMs } }),
    ...(lease && { lease: { holder: lease.holder, untilAtMs: lease.untilAtMs, takenAtMs: lease.takenAtMs } }),
    attempts: Math.max(0, ...works.map(({ attempts }) => attempts)),
    draft: draft !== undefined,
  };
}
