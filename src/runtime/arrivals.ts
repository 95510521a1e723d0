import { oddInbound, soundInbound } from "../core/sound-inbound.ts";
import type { InboundMessage } from "../model/message.ts";
import type { StageRequest } from "../ports/engine.ts";

/** What a channel gave, on its way to the store. */
export interface Arriving extends StageRequest {
  /** Set where it cannot be kept: what is wrong with it. It is refused, and its neighbours are not. */
  readonly odd?: string;
  /** Set where its text is longer than its channel takes, which is refused, too. */
  readonly tooLongBy?: number;
}

/** How a payload came in. */
interface Arrived {
  readonly channel: string;
  readonly arrivedAtMs: number;
  /** Characters of a text that the channel takes. */
  readonly textLengthMax?: number | undefined;
  /** Why none of them may be staged. */
  readonly refusal?: StageRequest["refusal"] | undefined;
}

/**
 * Our own time, and the place in the payload: what the provider's clock cannot order, these do. A message that nobody could read back when
 * its turn comes is refused now, alone: its neighbours are acknowledged with it, and would never come again.
 */
export function arriving(
  messages: readonly InboundMessage[],
  { channel, arrivedAtMs, textLengthMax = Number.POSITIVE_INFINITY, refusal }: Arrived,
): Arriving[] {
  return messages.map((message, position) => {
    const read = soundInbound(message);
    const at = { channel, arrivedAtMs, position };
    if (read.kind === "foreign")
      return { arrival: { ...oddInbound(message), ...at }, refusal: "INVALID_PAYLOAD", odd: read.why };
    const arrival = { ...read.value, ...at };
    const tooLongBy = arrival.text.length - textLengthMax;
    if (tooLongBy > 0) return { arrival, refusal: "MESSAGE_TOO_LARGE", tooLongBy };
    return { arrival, ...(refusal && { refusal }) };
  });
}
