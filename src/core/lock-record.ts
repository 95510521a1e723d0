import type { Failing } from "../model/turn.ts";
import type { LeaseState } from "./lease.ts";
import type { ConversationState } from "./state.ts";

/** How a state is shown to operators; the engine adds how much is staged. */
export function lockRecord(conversationId: string, state: ConversationState) {
  const { window, lease, draft, works, elsewhere } = state;
  const failing = failingIn(state);
  return {
    conversationId,
    ...(window && { window: { id: window.id, dueAtMs: window.dueAtMs } }),
    ...(lease && { lease: shownLease(lease) }),
    ...(elsewhere && { elsewhere: { sinceAtMs: elsewhere.waitingSinceAtMs } }),
    attempts: Math.max(0, ...works.map(({ attempts }) => attempts)),
    draft: draft !== undefined,
    ...(failing && { failing }),
  };
}

function shownLease({ holder, untilAtMs, takenAtMs, turnId }: LeaseState) {
  return { holder, untilAtMs, takenAtMs, ...(turnId !== "" && { turnId }) };
}

/** An attempt is counted when its lease is taken: the one that runs has not failed. */
function failingIn({ works, lease, notBeforeAtMs }: ConversationState): Failing | undefined {
  const work = works.find(({ lastError }) => lastError !== undefined);
  if (work?.lastError === undefined) return undefined;
  const { lastError: reason, attempts, failingSinceAtMs: sinceAtMs } = work;
  const running = lease?.turnId === work.turnId ? 1 : 0;
  return {
    reason,
    tries: attempts - running,
    ...(sinceAtMs !== undefined && { sinceAtMs }),
    ...(!lease && notBeforeAtMs !== undefined && { againAtMs: notBeforeAtMs }),
  };
}
