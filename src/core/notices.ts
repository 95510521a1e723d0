import { hash } from "node:crypto";
import type { HistoryMessage } from "../model/history.ts";
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

/**
 * What the sender of a turn's newest message is told whose answer is late or will not come. Its id is made of
 * the turn's first message, which is the same in all its tries, and in those after the retry of a dead
 * letter: it is said once.
 */
export function failureOutbound(
  arrival: Arrival,
  { about, ...notice }: Omit<Notice, "id"> & { readonly about: string },
): OutboundRequest {
  const id = `failure-${hash("sha256", about, "base64url").slice(0, 22)}`;
  return { ...outboundTo(arrival, { ...notice, id }, FAILURE_AUTHOR), about };
}

/** Whether one of these is a turn that took the message, whatever came of it. */
export function isAnsweredIn(
  history: readonly Pick<HistoryMessage, "parts" | "unanswered">[],
  messageId: string,
): boolean {
  return history.some(
    ({ parts = [], unanswered }) => !unanswered && parts.some(({ id }) => id === messageId),
  );
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
