import { deliveriesKeptMs } from "../../../core/defaults.ts";
import { type CallbackSource, isFromSender } from "../../../core/draft.ts";
import { unknownSendId } from "../../../core/identity.ts";
import { afterDelivery } from "../../../core/running-turn.ts";
import { type Sent, sentKey } from "../../../core/sent.ts";
import type { ChunkReference, DeliveryStatus } from "../../../model/message.ts";
import { conversationIdOf, type StepContext, saveState, stateOf } from "../context.ts";
import { wakeNow } from "./window.ts";

/** A callback that names its chunk proves that the provider has the message: `sending` becomes `sent`. */
export function recordDelivery(
  context: StepContext,
  { channel, status }: { channel: string; status: DeliveryStatus },
): "confirmed" | "recorded" | "unmatched" {
  const { chunk: reference, providerId, address } = status;
  const sent = { channel, providerId };
  const by = { channel, address };
  const wasUnknown = reference !== undefined && confirmUnknown(context, by, reference);
  const id = reference && conversationIdOf(context, reference.turnId);
  const state = id === undefined ? undefined : stateOf(context, id);
  // A turn without a draft has sent nothing.
  const draft = state?.draft?.turnId === reference?.turnId ? state?.draft : undefined;
  if (draft && !isFromSender(draft, by)) return "unmatched";
  // Nothing is stored for an unknown turn: it is another installation's, or an erased person's.
  if (wasUnknown || draft) rememberSent(context, [sent]);
  if (wasUnknown) return "confirmed";
  if (!reference || !draft || !state || id === undefined)
    return context.tables.remembered.has(sentKey(sent)) ? "recorded" : "unmatched";
  const confirmed = afterDelivery(state, reference, { providerId, atMs: context.nowMs });
  if (!confirmed) return "recorded";
  saveState(context, id, confirmed.after);
  if (confirmed.goesOn) wakeNow(context, id);
  return "confirmed";
}

function confirmUnknown(context: StepContext, by: CallbackSource, reference: ChunkReference): boolean {
  const id = unknownSendId(reference);
  const unknown = context.tables.unknownSends.get(id);
  if (!unknown || !isFromSender(unknown, by)) return false;
  context.tables.unknownSends.delete(id);
  return true;
}

/** A callback that comes later is told from one about another installation's message. */
export function rememberSent({ tables, settings, nowMs }: StepContext, sent: readonly Sent[]): void {
  tables.remembered.add(sent.map(sentKey), nowMs + deliveriesKeptMs(settings));
}

export function forgetSent({ tables }: StepContext, sent: readonly Sent[]): void {
  tables.remembered.forget(sent.map(sentKey));
}
