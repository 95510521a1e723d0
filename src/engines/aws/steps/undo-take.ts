import { afterRelease } from "../../../core/release.ts";
import { type ConversationState, workOf } from "../../../core/state.ts";
import { tellable } from "../../../errors.ts";
import { type AwsContext, clockOf } from "../context.ts";
import { isMine, letGo, readState, saveState } from "../items/state.ts";
import { type Stored, triggerOf } from "../items/state-item.ts";
import { stand } from "../items/window.ts";

/**
 * The store failed at LEASE or between it and BATCH. The wake-up that led here comes again soon, and must not find a lease that nobody works under:
 * the customer would wait for all of it. The window that may have been disarmed stands first, so that somebody is responsible at any time;
 * a turn that was written down unheard takes its attempt back. As far as the store lets us: if not, the lease lapses, and heals.
 */
export async function undoTake(site: AwsContext, id: string, token: string): Promise<void> {
  letGo(site, token);
  try {
    let stored = await readState(site, id);
    while (isMine(stored, token)) {
      await stand(site, triggerOf(stored), { dueAtMs: site.clock.nowMs() });
      const saved = await saveState(site, stored, freed(site, stored));
      if (saved.kind === "saved") return;
      stored = saved.stored;
    }
  } catch (error) {
    site.log("warn", "lease.not-put-back", { conversation: id, reason: tellable(error) });
  }
}

function freed(site: AwsContext, { state }: Stored): ConversationState {
  const work = workOf(state, state.lease?.turnId ?? "");
  if (!work) return { ...state, lease: undefined };
  const giving = { state, work, newer: [], policy: site.settings.window, windowId: site.newId() };
  return { ...afterRelease({ ...giving, ...clockOf(site) }, { kind: "put-back" }), window: undefined };
}
