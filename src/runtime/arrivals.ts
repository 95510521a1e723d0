import { oddInbound, soundInbound } from "../core/sound-inbound.ts";
import type { StageRequest } from "../ports/engine.ts";
import type { InboundMessage } from "../ports/message.ts";

/** What a channel gave, on its way to the store. */
export interface Arriving extends StageRequest {
  /** Set where it cannot be kept: what is wrong with it. It is refused, and its neighbours are not. */
  readonly odd?: string;
}

/**
 * Our own time, and the place in the payload: what the provider's clock cannot order, these do. A message that nobody could read back when
 * its turn comes is refused now, alone: its neighbours are acknowledged with it, and would never come again.
 */
export function arriving(
  channel: string,
  messages: readonly InboundMessage[],
  arrivedAtMs: number,
  refusal?: StageRequest["refusal"],
): Arriving[] {
  return messages.map((message, position) => {
    const read = soundInbound(message);
    const at = { channel, arrivedAtMs, position };
    if (read.kind === "foreign")
      return { arrival: { ...oddInbound(message), ...at }, refusal: "INVALID_PAYLOAD", odd: read.why };
    return { arrival: { ...read.value, ...at }, ...(refusal && { refusal }) };
  });
}
