import { withChunk } from "../../core/draft.ts";
import { workOf } from "../../core/state.ts";
import type { DeliveryStatus } from "../../ports/message.ts";
import { present } from "./expression.ts";
import { conversationWithin } from "./keys.ts";
import { unknownKey } from "./message-item.ts";
import { recordDelivery } from "./seen.ts";
import type { Site } from "./site.ts";
import { readState, saveState } from "./state.ts";
import { triggerOf } from "./take.ts";
import { wakeNow } from "./window.ts";

/** A callback that names its chunk proves that the provider has the message: `sending` becomes `sent`. */
export async function settle(
  site: Site,
  channel: string,
  status: DeliveryStatus,
): Promise<"settled" | "recorded" | "unmatched"> {
  const { chunk: reference, providerId } = status;
  const isKnown = await recordDelivery(site, channel, status, reference?.turnId);
  if (reference === undefined) return isKnown ? "recorded" : "unmatched";
  const { turnId, chunk } = reference;
  if (await removeUnknown(site, `${turnId}.${chunk}`)) return "settled";
  return (await settleDraft(site, turnId, chunk, providerId)) ? "settled" : "recorded";
}

/** True when it was listed, and this call took it off the list. */
export async function removeUnknown(site: Site, unknownId: string): Promise<boolean> {
  const key = unknownKey(unknownId);
  if (!key) return false;
  return (await site.store.delete("messages", key, present("item_id"))).kind === "done";
}

async function settleDraft(site: Site, turnId: string, chunk: number, providerId: string): Promise<boolean> {
  const id = conversationWithin(turnId);
  if (id === undefined) return false;
  for (let stored = await readState(site, id); ; ) {
    const { state } = stored;
    const { draft } = state;
    if (draft?.turnId !== turnId || draft.chunks[chunk]?.state.kind !== "sending") return false;
    const sent = withChunk(draft, chunk, { kind: "sent", providerId, atMs: site.clock.nowMs() });
    const saved = await saveState(site, stored, { ...state, draft: sent, notBeforeAtMs: undefined });
    if (saved.kind === "saved") {
      // Whoever waits for this chunk to settle need not wait any longer.
      if (!state.lease && workOf(state, turnId)) await wakeNow(site, triggerOf(stored));
      return true;
    }
    stored = saved.stored;
  }
}
