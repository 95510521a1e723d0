import type { ReceiveSummary, WebhookAnswer } from "../../ports/channel.ts";
import { statusOf } from "../../wire/refusal-status.ts";

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>';
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Empty TwiML: the reply is sent later, through the API. A busy text is said here and now. */
export function answer(summary: ReceiveSummary): WebhookAnswer {
  const { code, busyText, retryAfterSeconds } = summary;
  const retryAfter =
    retryAfterSeconds === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterSeconds)) };
  return {
    status: statusOf(code, "not-retrying"),
    headers: { "content-type": "text/xml; charset=utf-8", ...retryAfter },
    body: busyText
      ? `${HEAD}<Response><Message>${escaped(busyText)}</Message></Response>`
      : `${HEAD}<Response/>`,
  };
}

function escaped(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 cannot hold these
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
      .replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
  );
}
