import { mayBring } from "../core/own-addresses.ts";
import type { Sound } from "../core/shape.ts";
import { soundInbound } from "../core/sound-inbound.ts";
import type { Arrival } from "../model/message.ts";
import type { Channel, WebhookRequest } from "../ports/channel.ts";

export interface Target {
  readonly channels: Readonly<Record<string, Channel>>;
  /** The channel that the messages belong to from now on. */
  readonly channel: string;
  readonly nowMs: number;
}

/**
 * A message of a seed's as its channel would have brought it: under the id that a redelivered webhook bears,
 * for the same person at the same address. It arrives now, so that its window begins now; `sentAtMs` is when
 * the seed received it, and orders it.
 */
export function arrivalFrom(
  request: WebhookRequest,
  { channels, channel, nowMs }: Target,
  { position, sentAtMs }: { readonly position: number; readonly sentAtMs: number | undefined },
): Sound<Arrival> {
  const parsed = channels[channel]!.parse(request);
  if (parsed.kind === "invalid" || parsed.kind === "ignored") return { kind: "foreign", why: parsed.why };
  const message = parsed.kind === "updates" ? parsed.messages[0] : undefined;
  if (!message) return { kind: "foreign", why: "it is no message" };
  const read = soundInbound(message);
  if (read.kind === "foreign") return read;
  if (!mayBring(channels, channel, read.value.address))
    return { kind: "foreign", why: `our address in it is not one of channel ${channel}` };
  const sent = sentAtMs ?? read.value.sentAtMs;
  return {
    kind: "sound",
    value: {
      ...read.value,
      channel,
      arrivedAtMs: nowMs,
      position,
      ...(sent !== undefined && { sentAtMs: sent }),
    },
  };
}
