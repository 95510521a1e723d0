import { afterEach, expect, test } from "vitest";
import { twilio } from "../channels/twilio/index.ts";
import { wati } from "../channels/wati/index.ts";
import { web } from "../channels/web/index.ts";
import { memory } from "../engines/memory/index.ts";
import { createService } from "../runtime/create-service.ts";
import type { Service } from "../runtime/service.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { signedWebhook } from "../testing/fake-twilio-webhook.ts";
import { createEdge } from "./edge.ts";
import { toFetch } from "./fetch.ts";

const URL = "https://bot.example.com";
const TOKEN = "token-of-some-length";
const ACCOUNT = "AC00000000000000000000000000000001";
const JSON_BODY = { "content-type": "application/json" };

let service: Service | undefined;
afterEach(() => service?.stop(0));

function started() {
  service = createService({
    engine: memory(),
    channels: {
      web: web({ address: "acme", unsigned: true }),
      whatsapp: twilio.whatsapp({ accounts: { [ACCOUNT]: { authToken: TOKEN, from: "+15550100" } } }),
      sms: twilio.sms({ accountSid: ACCOUNT, authToken: TOKEN, messagingServiceSid: "MG1" }),
      wati: wati({ apiUrl: "http://127.0.0.1:9/1", numbers: "+15550200", token: "t", webhookSecret: TOKEN }),
    },
    clock: fakeClock(),
    log: () => {},
    publicUrl: URL,
    apiToken: TOKEN,
    respond: () => "hello",
  });
  return { service, ask: toFetch(createEdge(service)) };
}

function ofTwilio(channel: string, prefix: string): Request {
  const url = `${URL}/webhooks/${channel}`;
  const [From, To] = [`${prefix}+15550123`, `${prefix}+15550100`];
  const MessageSid = "SM00000000000000000000000000000001";
  const params = { AccountSid: ACCOUNT, MessageSid, From, To, Body: "hi", NumMedia: "0" };
  return new Request(url, { method: "POST", ...signedWebhook({ url, authToken: TOKEN, params }) });
}

function ofJson(channel: string, body: object, headers: Record<string, string> = {}): Request {
  const init = { method: "POST", body: JSON.stringify(body), headers: { ...JSON_BODY, ...headers } };
  return new Request(`${URL}/webhooks/${channel}`, init);
}

/** What the customer's own first message looks like. */
const MESSAGES: Readonly<Record<string, () => Request>> = {
  web: () => ofJson("web", { id: "1", sender: "visitor-0001", text: "hi" }),
  whatsapp: () => ofTwilio("whatsapp", "whatsapp:"),
  sms: () => ofTwilio("sms", ""),
  wati: () =>
    ofJson(
      "wati",
      {
        ...{ eventType: "message", id: "1", whatsappMessageId: "w-1", type: "text", text: "hi" },
        ...{ waId: "15550123", channelPhoneNumber: "15550200", owner: false, timestamp: "1763193600" },
      },
      { authorization: `Bearer ${TOKEN}` },
    ),
};

test.each([
  ["web", "web:acme", "visitor-0001"],
  ["whatsapp", "whatsapp:+15550100", "whatsapp:+15550123"],
  ["whatsapp", "15550100", " 15550123"],
  ["sms", "+15550100", "15550123"],
  ["sms", "15550100 ", "+15550123"],
  ["wati", "+15550200", "whatsapp:+15550123"],
  ["wati", "15550200", "+15550123"],
])("a conversation on %s, at %j with %j, is the one that the customer's message finds", async (...given) => {
  const [channel, address, sender] = given;
  const { service, ask } = started();
  const made = await ask(
    new Request(`${URL}/api/conversations`, {
      method: "POST",
      body: JSON.stringify({ channel, address, sender }),
      headers: { ...JSON_BODY, authorization: `Bearer ${TOKEN}` },
    }),
  );
  expect(made.status).toBe(201);
  expect((await ask(MESSAGES[channel]!())).status).toBe(200);
  const { items } = await (await service.engine()).inspector.conversations({ limit: 10 });
  const { conversation } = (await made.json()) as { conversation: { id: string } };
  expect(items.map(({ id }) => id)).toEqual([conversation.id]);
  const detail = await (await service.engine()).inspector.conversation(conversation.id);
  expect(detail?.staged.map(({ text }) => text)).toEqual(["hi"]);
});
