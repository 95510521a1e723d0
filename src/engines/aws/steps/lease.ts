import { type LeaseState, latestEndAtMs, newLease } from "../../../core/lease.ts";
import type { TriggerSource } from "../../../ports/engine.ts";
import type { AwsContext } from "../context.ts";
import { absent, all, any, atMost, not } from "../dynamo/expression.ts";
import { SENDER } from "../items/conversation-item.ts";
import { conversationKeyOf } from "../items/keys.ts";
import { withRoom } from "../items/quarantined-rows.ts";
import { leaseAttributes, type Stored, storedFrom } from "../items/state-item.ts";
import { isNewer, isOfKnownVersion, newerVersion, VERSION } from "../items/version.ts";
import { undoTake } from "./undo-take.ts";

export type Leased =
  | { readonly kind: "leased"; readonly stored: Stored; readonly token: string }
  | { readonly kind: "held"; readonly stored: Stored; readonly untilAtMs: number };

/**
 * LEASE: taken if free or lapsed, in one write that also returns the row. The token is made here, so that a
 * write whose answer got lost, and which then fails on its own success, is recognised as ours.
 */
export function takeLease(context: AwsContext, id: string, source?: TriggerSource): Promise<Leased> {
  return withRoom(context, id, () => tryLease(context, id, source));
}

async function tryLease(context: AwsContext, id: string, source?: TriggerSource): Promise<Leased> {
  const { settings } = context;
  const lease = ownLease(context);
  const nowMs = lease.takenAtMs;
  const isFree = absent("lease_token");
  const hasLapsed = atMost("lease_until_at_ms", nowMs - settings.clockSkewMs);
  // No number, or later than any lease that was taken by now ends.
  const isNone = not(atMost("lease_until_at_ms", latestEndAtMs(nowMs, settings.clockSkewMs)));
  const change = {
    set: {
      v: VERSION,
      rev: lease.token,
      swept_at_ms: undefined,
      ...leaseAttributes(id, lease, context.leaseShards),
    },
    setIfAbsent: {
      ...(source?.sender && { [SENDER]: source.sender }),
      ...(source && { channel: source.channel }),
    },
  };
  const key = conversationKeyOf(id);
  const isTakeable = all(isOfKnownVersion("state"), any(isFree, hasLapsed, isNone));
  const written = await context.store
    .update("state", key, change, isTakeable, "ALL_NEW")
    .catch(async (error) => {
      // It may have been written all the same, and no worker would work under it.
      await undoTake(context, id, lease.token);
      throw error;
    });
  if (isNewer("state", written.item)) throw newerVersion(id);
  const stored = storedFrom(id, written.item);
  const standing = stored.state.lease;
  if (written.kind === "done" || standing?.token === lease.token) {
    return { kind: "leased", stored, token: lease.token };
  }
  return { kind: "held", stored, untilAtMs: standing?.untilAtMs ?? nowMs };
}

export function ownLease({ clock, newId, holder, settings }: AwsContext): LeaseState {
  return newLease({ token: newId(), holder, nowMs: clock.nowMs() }, settings);
}
