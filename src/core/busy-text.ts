import type { Arrival } from "../model/message.ts";
import type { OutboundRequest } from "../model/outbound.ts";
import { passingOf } from "./names.ts";

/** What the sender of a message is told that was turned away: sent to where the message came from. */
export function busyOutbound(
  arrival: Arrival,
  {
    id,
    conversationId,
    text,
  }: { readonly id: string; readonly conversationId: string; readonly text: string },
): OutboundRequest {
  const addressee = passingOf(arrival);
  return {
    id: `busy-${id}`,
    conversationId,
    channel: arrival.channel,
    to: arrival.replyTo,
    ...(addressee !== undefined && { addressee }),
    texts: [text],
    author: "busy",
  };
}
