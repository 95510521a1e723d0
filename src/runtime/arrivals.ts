import { mayBring } from "../core/own-addresses.ts";
import { malformedInbound, soundInbound } from "../core/sound-inbound.ts";
import type { Arrival, InboundMessage } from "../model/message.ts";
import type { Channel, ReceiveSummary } from "../ports/channel.ts";
import type { StageRequest } from "../ports/engine.ts";
import type { ReceiveContext } from "./receive-context.ts";
import { noteRefusal } from "./refuse.ts";

/** What a channel gave, on its way to the store. */
export interface Arriving extends StageRequest {
  /** Why the store cannot keep it. Such a message is refused; its neighbours are not. */
  readonly malformed?: string;
  /** Set where its text is longer than the channel takes. Such a message is refused as well. */
  readonly tooLongBy?: number;
}

interface Rules {
  /** Characters of a text that the channel takes. */
  readonly textMax: number;
  /** Why none of them may be staged. */
  readonly refusal: StageRequest["refusal"] | undefined;
}

const NOT_OURS =
  "our number in it is not one of this channel's: name it there, or correct where its webhooks go";

/** What may be staged, and what of the rest its caller has to be told. */
export interface Admitted {
  readonly requests: readonly Arriving[];
  readonly refusal: Pick<ReceiveSummary, "code" | "detail">;
}

/**
 * Of what a channel gave, the messages that it may bring. A provider that may speak for one channel's
 * customers may not speak for another channel's: nothing of such a message is kept, since its sender may be
 * made up.
 */
export function admitted(
  context: ReceiveContext,
  name: string,
  channel: Channel,
  given: readonly InboundMessage[],
): Admitted {
  const rules = {
    textMax: channel.textLengthMax ?? Number.POSITIVE_INFINITY,
    refusal: context.responderFor(name) ? undefined : ("ROUTE_NOT_FOUND" as const),
  };
  // Our own time, and the place in the payload: what the provider's clock cannot order, these do.
  const at = { channel: name, arrivedAtMs: context.clock.nowMs() };
  const arrived = given.map((message, position) => {
    const read = soundInbound(message);
    return read.kind === "sound"
      ? arriving({ ...read.value, ...at, position }, rules)
      : refusedAsMalformed({ ...malformedInbound(message), ...at, position }, read.why);
  });
  const requests = arrived.filter(
    ({ arrival, malformed }) => malformed !== undefined || mayBring(context.channels, name, arrival.address),
  );
  const hasOthers = requests.length < arrived.length;
  return { requests, refusal: hasOthers ? refuseAddress(context, name) : {} };
}

export function refuseAddress(context: ReceiveContext, name: string): Admitted["refusal"] {
  noteRefusal(context, name, "INVALID_SIGNATURE", NOT_OURS);
  return { code: "INVALID_SIGNATURE", detail: NOT_OURS };
}

function arriving(arrival: Arrival, { textMax, refusal }: Rules): Arriving {
  const tooLongBy = arrival.text.length - textMax;
  if (tooLongBy > 0) return { arrival, refusal: "MESSAGE_TOO_LARGE", tooLongBy };
  return { arrival, ...(refusal && { refusal }) };
}

/**
 * A message that no worker could read back in its turn is refused now, and alone: the others of its webhook
 * are acknowledged together with it, and the provider would never deliver them again.
 */
function refusedAsMalformed(arrival: Arrival, malformed: string): Arriving {
  return { arrival, refusal: "INVALID_PAYLOAD", malformed };
}
