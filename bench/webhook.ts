import { signedWebhook } from "../src/testing/fake-twilio-webhook.ts";
import { ACCOUNT_SID, AUTH_TOKEN, OUR_NUMBER, PATH, PUBLIC_URL } from "./account.ts";

/** Every message carries its number in its text: so it is found again in what the fakes were told. */
export function textOf(message: number): string {
  return `are you open tomorrow? #${message}#`;
}

export function messagesIn(text: string): number[] {
  return [...text.matchAll(/#(\d+)#/g)].map(([, message]) => Number(message));
}

export function customerOf(conversation: number): string {
  return `+1555${String(conversation).padStart(7, "0")}`;
}

/** The request as Twilio would post it, made before the clock starts: signing is no part of the load. */
export function requestOf(message: number, conversation: number, host: string): Buffer {
  const sid = `SM${message.toString(16).padStart(32, "0")}`;
  const { headers, body } = signedWebhook({
    url: PUBLIC_URL + PATH,
    authToken: AUTH_TOKEN,
    params: {
      AccountSid: ACCOUNT_SID,
      ApiVersion: "2010-04-01",
      Body: textOf(message),
      From: customerOf(conversation),
      FromCountry: "US",
      MessageSid: sid,
      NumMedia: "0",
      NumSegments: "1",
      SmsMessageSid: sid,
      SmsSid: sid,
      SmsStatus: "received",
      To: OUR_NUMBER,
      ToCountry: "US",
    },
  });
  const lines = Object.entries({ ...headers, host, "content-length": String(Buffer.byteLength(body)) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.from(`POST ${PATH} HTTP/1.1\r\n${head}\r\n${body}`);
}
