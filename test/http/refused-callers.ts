import { createHmac } from "node:crypto";
import { twilio } from "../../src/channels/twilio/index.ts";
import { wati } from "../../src/channels/wati/index.ts";
import { web } from "../../src/channels/web/index.ts";
import { signedWebhook } from "../../src/testing/fake-twilio-webhook.ts";

export const PUBLIC_URL = "https://bot.example.com";
const SECRET = "a-secret-of-sixteen-letters";
const ACCOUNT = "AC00000000000000000000000000000001";
const VISITOR = "visitor-0001";

/** What is posted. Left out: as the provider has it. */
export interface Written {
  readonly text?: string;
  readonly secret?: string;
  /** Which of our numbers was written to. */
  readonly address?: string;
  /** Nothing that a message needs is in it, though it is proven. */
  readonly isEmpty?: boolean;
}

/** One kind of caller of the page's table: a provider, or a program, and how it proves who it is. */
export interface Caller {
  /** The heading of its column. */
  readonly name: string;
  post(url: string, id: number, written: Written): Promise<Response>;
}

const post = (url: string, path: string, headers: Record<string, string>, body: string) =>
  fetch(`${url}${path}`, { method: "POST", headers, body });
const JSON_TYPE = { "content-type": "application/json" };

export const CALLERS: readonly Caller[] = [
  {
    name: "Twilio",
    post(url, id, { text = "hi", secret = SECRET, address = "+15550100", isEmpty = false }) {
      const message = {
        AccountSid: ACCOUNT,
        Body: text,
        From: "whatsapp:+15550177",
        To: `whatsapp:${address}`,
        ...(!isEmpty && { MessageSid: `SM${String(id).padStart(32, "0")}` }),
      };
      const path = "/webhooks/whatsapp";
      const signed = signedWebhook({ url: `${PUBLIC_URL}${path}`, authToken: secret, params: message });
      return post(url, path, signed.headers, signed.body);
    },
  },
  {
    name: "WATI",
    post(url, id, { text = "hi", secret = SECRET, address = "15550199", isEmpty = false }) {
      const message = { eventType: "message", id: `wati-${id}`, text, channelPhoneNumber: address };
      const body = JSON.stringify({ ...message, ...(!isEmpty && { waId: "15550177" }) });
      return post(url, `/webhooks/wati?secret=${secret}`, JSON_TYPE, body);
    },
  },
  {
    name: "web",
    post(url, id, { text = "hi", secret = SECRET, isEmpty = false }) {
      const body = JSON.stringify({ sender: VISITOR, text, ...(!isEmpty && { id: `m-${id}` }) });
      const signature = createHmac("sha256", secret).update(VISITOR).digest("hex");
      return post(url, "/webhooks/web", { ...JSON_TYPE, "x-lull-signature": signature }, body);
    },
  },
];

/** All three channels, as a public service has them. */
export function channelsTo(providers: { readonly twilio: string; readonly wati: string }, bytesMax?: number) {
  const size = bytesMax === undefined ? {} : { bodyBytesMax: bytesMax };
  return {
    whatsapp: twilio.whatsapp({
      accountSid: ACCOUNT,
      authToken: SECRET,
      from: "+15550100",
      apiUrl: providers.twilio,
      ...size,
    }),
    wati: wati({
      apiUrl: `${providers.wati}/1`,
      token: "token",
      webhookSecret: SECRET,
      numbers: "15550199",
      ...size,
    }),
    web: web({ secret: SECRET }),
  };
}
