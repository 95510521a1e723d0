import { mayBring } from "../core/own-addresses.ts";
import { oddInbound, soundInbound } from "../core/sound-inbound.ts";
import type { InboundMessage } from "../model/message.ts";
import type { Channel, ReceiveSummary } from "../ports/channel.ts";
import type { StageRequest } from "../ports/engine.ts";
import type { Reception } from "./reception.ts";
import { noteRefusal } from "./refuse.ts";

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

const NOT_OURS =
  "our number in it is not one of this channel's: name it there, or correct where its webhooks go";

/** What may be staged, and what of the rest its caller has to be told. */
export interface Admitted {
  readonly requests: readonly Arriving[];
  readonly refusal: Pick<ReceiveSummary, "code" | "detail">;
}

/**
 * Of what a channel gave, what it may bring. Whoever may speak for one channel's customers must not for another's: nothing of that is kept,
 * since it may not be what it says it is.
 */
export function admitted(
  reception: Reception,
  name: string,
  channel: Channel,
  given: readonly InboundMessage[],
): Admitted {
  const arrived = arriving(given, {
    channel: name,
    arrivedAtMs: reception.clock.nowMs(),
    textMax: channel.receivedTextMax,
    refusal: reception.hasResponder(name) ? undefined : "ROUTE_NOT_FOUND",
  });
  const requests = arrived.filter(
    ({ arrival, odd }) => odd !== undefined || mayBring(reception.channels, name, arrival.address),
  );
  const hasStrangers = requests.length < arrived.length;
  return { requests, refusal: hasStrangers ? refusedStranger(reception, name) : {} };
}

export function refusedStranger(reception: Reception, name: string): Admitted["refusal"] {
  noteRefusal(reception, name, "INVALID_SIGNATURE", NOT_OURS);
  return { code: "INVALID_SIGNATURE", detail: NOT_OURS };
}

/**
 * Our arrival time and the place in the payload order what the provider's clock cannot. A message that the
 * store could not read back when its turn comes is refused now, alone: its neighbours are acknowledged with
 * it, so the provider would never send it again.
 */
function arriving(
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
