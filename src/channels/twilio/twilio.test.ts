import { readFileSync } from "node:fs";
import { test } from "vitest";
import type { WebhookRequest } from "../../ports/channel.ts";
import { testContext } from "../../testing/channel-context.ts";
import { type ChannelHarness, channelContract } from "../../testing/channel-contract.ts";
import type { ProviderMood } from "../../testing/channel-contract-subject.ts";
import type { FakeBehaviour } from "../../testing/fake-server.ts";
import { fakeTwilio } from "../../testing/fake-twilio.ts";
import { signedWebhook } from "../../testing/fake-twilio-webhook.ts";
import { twilio } from "./index.ts";

const accountSid = "AC00000000000000000000000000000001";
const authToken = "test-auth-token";
const url = "https://bot.example.com/webhooks/twilio";

const MOODS: Record<Exclude<ProviderMood, "is-away">, FakeBehaviour> = {
  accepts: { kind: "ok" },
  refuses: { kind: "error", status: 400, code: 21610 },
  "is-busy": { kind: "error", status: 429, code: 20429, retryAfterSeconds: 2 },
  breaks: { kind: "error", status: 500, code: 20500 },
  hangs: { kind: "hang" },
  "loses-its-answer": { kind: "drop" },
};

function signed(payload: string): WebhookRequest {
  const text = readFileSync(new URL(`payloads/${payload}.txt`, import.meta.url), "utf8");
  const params = Object.fromEntries(new URLSearchParams(text));
  const { headers } = signedWebhook({ url, authToken, params });
  return { method: "POST", url, headers, body: Buffer.from(text) };
}

function harness(kind: "whatsapp" | "sms", names: readonly string[], prefix: string): ChannelHarness {
  return {
    name: `twilio.${kind}`,
    family: "not-retrying",
    async open() {
      const fake = fakeTwilio({ accountSid, authToken });
      await fake.start();
      const channel = twilio[kind]({ accountSid, authToken, apiUrl: fake.url });
      channel.open?.(testContext());
      const text = signed(names[0] ?? "");
      return {
        channel,
        payloads: Object.fromEntries(names.map((name) => [name, signed(name)])),
        forgeries: {
          unsigned: { ...text, headers: { "content-type": "application/x-www-form-urlencoded" } },
          "signed for another URL": { ...text, url: `${url}/other` },
          "changed on the way": { ...text, body: Buffer.from(`${text.body}&Body=more`) },
          "of another account": {
            ...text,
            body: Buffer.from(text.body.toString().replace(accountSid, "AC00000000000000000000000000000002")),
          },
        },
        ownEcho: signed("status-delivered"),
        outgoing: {
          to: `${prefix}+50370000001`,
          from: "+14155238886",
          text: "We have a table for two.",
          reference: { turnId: "turn-1", chunk: 0 },
          conversationId: "c_1",
        },
        provider: {
          async is(mood) {
            if (mood === "is-away") return fake.stop();
            fake.behave(({ method }) =>
              method === "POST" || mood === "hangs" ? MOODS[mood] : { kind: "ok" },
            );
          },
          reached: () => fake.nextRequest(),
          taken: () => fake.sent.map(({ sid }) => sid),
        },
        close: () => fake.stop(),
      };
    },
  };
}

const WHATSAPP = [
  "text",
  "media-only",
  "location",
  "button",
  "external-user-id",
  "hidden-number",
  "status-failed",
];

for (const { title, skip, run } of [
  ...channelContract(harness("whatsapp", WHATSAPP, "whatsapp:")),
  ...channelContract(harness("sms", ["sms", "status-delivered", "status-failed"], "")),
]) {
  test.skipIf(skip !== undefined)(title, run);
}
