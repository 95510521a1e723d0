import type { ReceiveSummary, WebhookAnswer } from "../../ports/channel.ts";
import { statusOf } from "../../wire/refusal-status.ts";

/** A page reads the status and can act on it. */
export function answer(summary: ReceiveSummary): WebhookAnswer {
  const { code, detail, retryAfterSeconds, conversationId } = summary;
  const retryAfter =
    retryAfterSeconds === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterSeconds)) };
  return {
    status: statusOf(code, "client"),
    headers: { "content-type": "application/json", ...retryAfter },
    body: JSON.stringify({ ok: code === undefined, code, detail, conversation_id: conversationId }),
  };
}
