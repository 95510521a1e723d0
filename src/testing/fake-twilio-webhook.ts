import { createHmac } from "node:crypto";
import type { FakeTwilioInbound, FakeTwilioMessage } from "./fake-twilio-message.ts";

/**
 * The headers and the body with which Twilio would post `params` to `url`. The fragment of a URL is not
 * signed.
 */
export function signedWebhook(webhook: {
  readonly url: string;
  readonly authToken: string;
  readonly params: Readonly<Record<string, string>>;
}): { readonly headers: Record<string, string>; readonly body: string } {
  const [url] = webhook.url.split("#");
  const keys = Object.keys(webhook.params).sort();
  const signed = keys.reduce((text, key) => `${text}${key}${webhook.params[key]}`, url ?? "");
  return {
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-twilio-signature": createHmac("sha1", webhook.authToken).update(signed).digest("base64"),
    },
    body: new URLSearchParams(webhook.params).toString(),
  };
}

/** What Twilio posts of a message. */
export function inboundParams(
  { accountSid, sid }: Pick<FakeTwilioMessage, "accountSid" | "sid">,
  { from, to, text = "", media = [], params }: FakeTwilioInbound,
): Record<string, string> {
  const files = media.flatMap(({ url, contentType }, n) => [
    [`MediaUrl${n}`, url],
    [`MediaContentType${n}`, contentType],
  ]);
  return {
    AccountSid: accountSid,
    ApiVersion: "2010-04-01",
    Body: text,
    From: from,
    MessageSid: sid,
    NumMedia: String(media.length),
    NumSegments: "1",
    SmsMessageSid: sid,
    SmsSid: sid,
    SmsStatus: "received",
    To: to,
    ...(from.startsWith("whatsapp:") && { ProfileName: "Ana", WaId: from.slice("whatsapp:+".length) }),
    ...Object.fromEntries(files),
    ...params,
  };
}

export function postStatus(
  message: FakeTwilioMessage,
  status: string,
  errorCode: number | undefined,
  authToken: string,
): Promise<Response> {
  const url = message.statusCallback;
  if (url === undefined) throw new Error(`message ${message.sid} was sent without a status callback`);
  const { sid, accountSid, from, to } = message;
  const params = {
    AccountSid: accountSid,
    From: from,
    To: to,
    MessageSid: sid,
    SmsSid: sid,
    MessageStatus: status,
    SmsStatus: status,
    ...(errorCode === undefined ? {} : { ErrorCode: String(errorCode) }),
  };
  return fetch(url, { method: "POST", ...signedWebhook({ url, authToken, params }) });
}
