import type { ReceiveSummary, WebhookAnswer } from "../ports/channel.ts";
import { type CallerFamily, statusOf } from "./refusal-status.ts";

/** For callers that read JSON. */
export function jsonAnswer(family: CallerFamily, summary: ReceiveSummary): WebhookAnswer {
  const { code, detail, conversationId } = summary;
  const body = JSON.stringify({ ok: code === undefined, code, detail, conversation_id: conversationId });
  return answerWith(family, summary, "application/json", body);
}

export function answerWith(
  family: CallerFamily,
  { code, retryAfterSeconds }: ReceiveSummary,
  type: string,
  body: string,
): WebhookAnswer {
  const retryAfter =
    retryAfterSeconds === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterSeconds)) };
  return { status: statusOf(code, family), headers: { "content-type": type, ...retryAfter }, body };
}
