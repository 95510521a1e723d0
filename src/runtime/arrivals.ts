import { oddInbound, soundInbound } from "../core/sound-inbound.ts";
import type { InboundMessage } from "../model/message.ts";
import type { StageRequest } from "../ports/engine.ts";

/** What a channel gave, on its way to the store. */
export interface Arriving extends StageRequest {
  /** Why the store cannot keep it. Such a message is refused; its neighbours are not. */
  readonly odd?: string;
  /** Set where its text is longer than the channel takes. Such a message is refused as well. */
  readonly tooLongBy?: number;
}

/** How a payload came in. */
interface Arrived {
  readonly channel: string;
  readonly arrivedAtMs: number;
  /** Characters of a text that the channel takes. */
  readonly textMax?: number | undefined;
  /** Why none of them may be staged. */
  readonly refusal?: StageRequest["refusal"] | undefined;
}

/**
 * Our arrival time and the place in the payload order what the provider's clock cannot. A message that the
 * store could not read back when its turn comes is refused now, alone: its neighbours are acknowledged with
 * it, so the provider would never send it again.
 */
export function arriving(
  messages: readonly InboundMessage[],
  { channel, arrivedAtMs, textMax = Number.POSITIVE_INFINITY, refusal }: Arrived,
): Arriving[] {
  return messages.map((message, position) => {
    const read = soundInbound(message);
    const at = { channel, arrivedAtMs, position };
    if (read.kind === "foreign")
      return { arrival: { ...oddInbound(message), ...at }, refusal: "INVALID_PAYLOAD", odd: read.why };
    const arrival = { ...read.value, ...at };
    const tooLongBy = arrival.text.length - textMax;
    if (tooLongBy > 0) return { arrival, refusal: "MESSAGE_TOO_LARGE", tooLongBy };
    return { arrival, ...(refusal && { refusal }) };
  });
}
