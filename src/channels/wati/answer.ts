import type { ReceiveSummary, WebhookAnswer } from "../../ports/channel.ts";
import { statusOf } from "../../wire/refusal-status.ts";

/** WATI tries every non-200 again for a day, so only what may succeed later is an error. */
export function answer(summary: ReceiveSummary): WebhookAnswer {
  const { code, detail, retryAfterSeconds, conversationId } = summary;
  const retryAfter =
    retryAfterSeconds === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterSeconds)) };
  return {
    status: statusOf(code, "retrying"),
    headers: { "content-type": "application/json", ...retryAfter },
    body: JSON.stringify({ ok: code === undefined, code, detail, conversation_id: conversationId }),
  };
}
