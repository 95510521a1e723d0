import { afterRelease } from "../../../core/release.ts";
import { type ConversationState, workOf } from "../../../core/state.ts";
import { tellable } from "../../../errors.ts";
import { type AwsContext, clockOf } from "../context.ts";
import { isMine, letGo, readState } from "../items/state.ts";
import { type Stored, triggerOf } from "../items/state-item.ts";
import { saveReleased } from "./status.ts";
import { stand } from "./window.ts";

/**
 * The store failed at LEASE or between it and BATCH. The trigger that led here comes again soon, and must not
 * find a lease that no worker works under: the customer would wait for all of it. The window that may have
 * been disarmed is armed first, so that a window or a lease stands at any time; a turn that was stored
 * without an answer takes its attempt back. If the store refuses this, too, the lease lapses, and heals.
 */
export async function undoTake(context: AwsContext, id: string, token: string): Promise<void> {
  letGo(context, token);
  try {
    let stored = await readState(context, id);
    while (isMine(stored, token)) {
      await stand(context, triggerOf(stored), { dueAtMs: context.clock.nowMs() });
      const saved = await saveReleased(context, stored, freed(context, stored), "put-back");
      if (saved.kind === "saved") return;
      stored = saved.stored;
    }
  } catch (error) {
    context.log("warn", "lease.not-put-back", { conversation: id, reason: tellable(error) });
  }
}

function freed(context: AwsContext, { state }: Stored): ConversationState {
  const work = workOf(state, state.lease?.turnId ?? "");
  if (!work) return { ...state, lease: undefined };
  const releasing = { state, work, newer: [], policy: context.settings.window, windowId: context.newId() };
  return { ...afterRelease({ ...releasing, ...clockOf(context) }, { kind: "put-back" }), window: undefined };
}
