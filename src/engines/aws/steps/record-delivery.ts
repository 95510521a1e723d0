import { type CallbackSource, isFromSender } from "../../../core/draft.ts";
import { conversationWithin, unknownSendId } from "../../../core/identity.ts";
import { canonicalAddress } from "../../../core/own-addresses.ts";
import { afterDelivery } from "../../../core/running-turn.ts";
import type { ChunkReference, DeliveryStatus } from "../../../model/message.ts";
import type { AwsContext } from "../context.ts";
import { absent, all, any, type Condition, equal } from "../dynamo/expression.ts";
import { unknownKey } from "../items/message-item.ts";
import { removeOnce } from "../items/remove-once.ts";
import { isSent, sentItem } from "../items/seen.ts";
import { readState, saveState } from "../items/state.ts";
import { type Stored, triggerOf } from "../items/state-item.ts";
import { wakeNow } from "./window.ts";

/** A callback that names its chunk proves that the provider has the message: `sending` becomes `sent`. */
export async function recordDelivery(
  context: AwsContext,
  channel: string,
  status: DeliveryStatus,
): Promise<"confirmed" | "recorded" | "unmatched"> {
  const { chunk: reference, providerId, address } = status;
  const by = { channel, address };
  const wasUnknown =
    reference !== undefined && (await removeUnknown(context, unknownSendId(reference), isSentThrough(by)));
  const stored = reference && !wasUnknown ? await draftedTurn(context, reference.turnId) : undefined;
  if (stored && !isFromSender(stored.state.draft!, by)) return "unmatched";
  // Nothing is stored for an unknown turn: it is another installation's, or an erased person's.
  if (reference && (wasUnknown || stored)) {
    // A webhook's role may only update these items.
    const { id, ...set } = sentItem(context, channel, providerId, reference.turnId);
    await context.store.update("seen", { id }, { set });
  }
  if (wasUnknown) return "confirmed";
  if (!reference || !stored) return (await isSent(context, channel, providerId)) ? "recorded" : "unmatched";
  return (await confirmDraft(context, stored, reference, providerId)) ? "confirmed" : "recorded";
}

/** The row of a conversation in which this turn is not over yet. A turn without a draft has sent nothing. */
async function draftedTurn(context: AwsContext, turnId: string): Promise<Stored | undefined> {
  const id = conversationWithin(turnId);
  const stored = id === undefined ? undefined : await readState(context, id);
  return stored?.state.draft?.turnId === turnId ? stored : undefined;
}

/** The rule of `isFromSender`, as a condition for a listed unknown send, which is not read. */
function isSentThrough({ channel, address }: CallbackSource): Condition {
  const isOfChannel = equal("channel", channel);
  if (address === undefined) return isOfChannel;
  // In canonical form, in which it was stored.
  const isFrom = any(absent("sent_from"), equal("sent_from", canonicalAddress(address)));
  return all(isOfChannel, isFrom);
}

/** True if it was listed, and this call removed it from the list. */
export async function removeUnknown(
  context: AwsContext,
  unknownId: string,
  condition?: Condition,
): Promise<boolean> {
  const key = unknownKey(unknownId);
  return key !== undefined && removeOnce(context, key, condition);
}

async function confirmDraft(
  context: AwsContext,
  read: Stored,
  reference: ChunkReference,
  providerId: string,
): Promise<boolean> {
  for (let stored = read; ; ) {
    const confirmed = afterDelivery(stored.state, reference, { providerId, atMs: context.clock.nowMs() });
    if (!confirmed) return false;
    const saved = await saveState(context, stored, confirmed.after);
    if (saved.kind === "saved") {
      if (confirmed.goesOn) await wakeNow(context, triggerOf(stored));
      return true;
    }
    stored = saved.stored;
  }
}
