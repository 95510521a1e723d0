import type { Arrival } from "../model/message.ts";
import type { OutboundRequest } from "../model/outbound.ts";
import type { OwnSettings } from "../model/settings.ts";
import { passingOf } from "./names.ts";
import type { FailureDecision } from "./retry.ts";

/** Who says it is in the record: what fails goes on to show in it, whatever was said of that. */
const FAILURE_AUTHOR = "failure";

interface Notice {
  readonly id: string;
  readonly conversationId: string;
  readonly text: string;
}

/** What the sender of a message is told that was turned away. */
export function busyOutbound(arrival: Arrival, notice: Notice): OutboundRequest {
  return outboundTo(arrival, { ...notice, id: `busy-${notice.id}` }, "busy");
}

/** What the sender of a turn's newest message is told whose answer is late or will not come: once a turn. */
export function failureOutbound(
  arrival: Arrival,
  { turnId, ...notice }: Omit<Notice, "id"> & { readonly turnId: string },
): OutboundRequest {
  return outboundTo(arrival, { ...notice, id: `failure-${turnId}` }, FAILURE_AUTHOR);
}

/** Whether what was said was only that there is no answer. */
export function isFailureNotice({ author }: { readonly author?: string | undefined }): boolean {
  return author === FAILURE_AUTHOR;
}

/** Whether a failed try is one that the customer hears of: its turn is late, or will not be tried again. */
export function tellsCustomer(
  { kind }: Pick<FailureDecision, "kind">,
  lateMs: number,
  { failureTextAfterMs }: Pick<OwnSettings, "failureTextAfterMs">,
): boolean {
  return kind === "dead-letter" || lateMs >= failureTextAfterMs;
}

/** Sent to where the message came from. */
function outboundTo(arrival: Arrival, { id, conversationId, text }: Notice, author: string): OutboundRequest {
  const addressee = passingOf(arrival);
  return {
    id,
    conversationId,
    channel: arrival.channel,
    to: arrival.replyTo,
    ...(addressee !== undefined && { addressee }),
    texts: [text],
    author,
  };
}
