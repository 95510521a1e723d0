import type { ReceiveSummary, WebhookAnswer } from "../../ports/channel.ts";
import { answerWith } from "../../wire/webhook-answer.ts";

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
  const { busyText } = summary;
  const said = busyText ? `<Response><Message>${escaped(busyText)}</Message></Response>` : "<Response/>";
  return answerWith("not-retrying", summary, "text/xml; charset=utf-8", `${HEAD}${said}`);
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
