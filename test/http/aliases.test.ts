import { afterEach, beforeEach, expect, test } from "vitest";
import { twilio } from "../../src/channels/twilio/index.ts";
import { wati } from "../../src/channels/wati/index.ts";
import { memory } from "../../src/engines/memory/index.ts";
import { type Serving, serve } from "../../src/http/node.ts";
import { createLull, type Lull } from "../../src/index.ts";
import { signedWebhook } from "../../src/testing/fake-twilio-webhook.ts";

const PASSKEY = "a-passkey-of-sixteen-letters";
const PUBLIC_URL = "https://bot.example.com";
const logged: string[] = [];
let service: Lull;
let serving: Serving;

beforeEach(async () => {
  logged.length = 0;
  service = createLull({
    engine: memory(),
    publicUrl: PUBLIC_URL,
    channels: {
      wati: wati({ apiUrl: "http://127.0.0.1:9/1", token: "t", webhookSecret: PASSKEY, numbers: "15550199" }),
      whatsapp: twilio.whatsapp({ accountSid: "AC1", authToken: "token", from: "+15550100" }),
    },
    aliases: { "/webhook": "wati", "/twilio/in": "whatsapp" },
    respond: () => "ok",
    log: (...line) => void logged.push(JSON.stringify(line)),
  });
  serving = await serve(service, { port: 0 });
});
afterEach(async () => {
  await serving.close(0);
  await service.stop(0);
});

const post = async (path: string, init: RequestInit) =>
  (await fetch(`${serving.url}${path}`, { method: "POST", ...init })).status;

test("a webhook at WATI's old path is proven by its passkey, in the URL or in the body", async () => {
  const body = JSON.stringify({ id: "1", waId: "15550177", text: "hi" });
  expect(await post(`/webhook?passkey=${PASSKEY}`, { body })).toBe(200);
  expect(await post("/webhook", { body: JSON.stringify({ waId: "15550177", passkey: PASSKEY }) })).toBe(200);
  for (const wrong of ["", "?passkey=", "?passkey=another-passkey-of-ours"])
    expect(await post(`/webhook${wrong}`, { body })).toBe(401);
  const { staged } = await (await service.engine()).inspector.counts();
  expect(staged).toBe(2);
  const log = logged.join("\n");
  expect(log).toContain("webhook.refused");
  expect(log).not.toContain("passkey=");
  expect(log).not.toContain("another-passkey-of-ours");
});

test("a signature at an old path counts for the URL that was called, and for no other", async () => {
  const params = {
    AccountSid: "AC1",
    Body: "hi",
    From: "whatsapp:+15550177",
    MessageSid: `SM${"1".repeat(32)}`,
    To: "whatsapp:+15550100",
  };
  const signedFor = (path: string) => {
    const { headers, body } = signedWebhook({ url: `${PUBLIC_URL}${path}`, authToken: "token", params });
    return { headers, body };
  };
  expect(await post("/twilio/in", signedFor("/webhooks/whatsapp"))).toBe(403);
  expect(await post("/twilio/in", { body: "Body=hi" })).toBe(403);
  expect(await post("/twilio/in", signedFor("/twilio/in"))).toBe(200);
  expect((await (await service.engine()).inspector.counts()).staged).toBe(1);
});
