import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { WebhookRequest } from "../../ports/channel.ts";
import { testContext, testRequest } from "../../testing/channel-context.ts";
import { type ChannelHarness, channelContract } from "../../testing/channel-contract.ts";
import type { ProviderMood } from "../../testing/channel-contract-subject.ts";
import type { FakeBehaviour } from "../../testing/fake-server.ts";
import { fakeWati } from "../../testing/fake-wati.ts";
import { wati } from "./index.ts";

const secret = "test-wati-secret";
const url = "https://bot.example.com/webhooks/wati";

const MOODS: Record<Exclude<ProviderMood, "is-away">, FakeBehaviour> = {
  accepts: { kind: "ok" },
  refuses: { kind: "error", status: 200 },
  "is-busy": { kind: "error", status: 429, retryAfterSeconds: 2 },
  breaks: { kind: "error", status: 500 },
  hangs: { kind: "hang" },
  "loses-its-answer": { kind: "drop" },
};

function signed(payload: string): WebhookRequest {
  const body = readFileSync(new URL(`payloads/${payload}.json`, import.meta.url));
  return testRequest(`${url}?secret=${secret}`, body, { "content-type": "application/json" });
}

const PAYLOADS = [
  "text",
  "image",
  "button-reply",
  "list-reply",
  "interactive-reply",
  "message-bsuid",
  "relayed",
  "status-delivered",
  "status-failed",
];

const harness: ChannelHarness = {
  name: "wati",
  family: "retrying",
  async open() {
    const fake = fakeWati({ token: "test-token" });
    await fake.start();
    const channel = wati({ apiUrl: `${fake.url}/100001`, token: "test-token", webhookSecret: secret });
    channel.open?.(testContext());
    return {
      channel,
      payloads: Object.fromEntries(PAYLOADS.map((name) => [name, signed(name)])),
      forgeries: {
        "without secret": { ...signed("text"), url },
        "with a wrong secret": { ...signed("text"), url: `${url}?secret=wrong` },
        "with a wrong passkey in the URL": { ...signed("text"), url: `${url}?passkey=wrong` },
        "with a longer secret": { ...signed("text"), url: `${url}?secret=${secret}x` },
        "with a wrong passkey": testRequest(url, '{"waId":"50370000001","passkey":"wrong"}'),
      },
      ownEcho: signed("own-echo"),
      outgoing: {
        to: "50370000001",
        from: "50320000000",
        text: "Tenemos mesa para dos.",
        reference: { turnId: "turn-1", chunk: 0 },
        conversationId: "c_1",
      },
      provider: {
        async is(mood) {
          if (mood === "is-away") return fake.stop();
          fake.behave(({ method }) => (method === "POST" || mood === "hangs" ? MOODS[mood] : { kind: "ok" }));
        },
        reached: () => fake.nextRequest(),
        taken: () => fake.sent.map(({ whatsappMessageId }) => whatsappMessageId),
      },
      close: () => fake.stop(),
    };
  },
};

for (const { title, skip, run } of channelContract(harness)) test.skipIf(skip !== undefined)(title, run);

test("a body may have 64 KB, or what the configuration says", () => {
  expect([wati().bodyBytesMax, wati({ bodyBytesMax: 5 }).bodyBytesMax]).toEqual([65_536, 5]);
});

describe("a body that may hold the secret", () => {
  const channel = wati({ apiUrl: "https://wati.example/1", token: "t", webhookSecret: secret });
  channel.open?.(testContext());
  const verdict = async (body: string, at = url) => (await channel.verify(testRequest(at, body))).kind;

  test.each([
    `{"passkey":"${secret}"}`,
    `{"text":"hi","passkey" :\n"${secret}"}`,
    `{"passkey":"\\u0074${secret.slice(1)}"}`,
  ])("is proven by it: %s", async (body) => {
    expect(await verdict(body)).toBe("authentic");
  });

  test.each([
    `{"text":{"passkey":"${secret}"}}`,
    `{"passkey":"${secret}x"}`,
    `{"passkey":"${secret}"`,
    `["passkey":"${secret}"]`,
    JSON.stringify({ text: `"passkey":"${secret}"` }),
    "{}",
    "",
  ])("is not by anything else: %s", async (body) => {
    expect(await verdict(body)).toBe("refused");
  });

  test("is not looked into where the URL holds a wrong one", async () => {
    expect(await verdict(`{"passkey":"${secret}"}`, `${url}?secret=wrong`)).toBe("refused");
  });
});

test("needs a secret that cannot be guessed, and takes nothing that carries another", async () => {
  const short = "s".repeat(15);
  const channel = wati({ apiUrl: "https://wati.example/1", token: "t", webhookSecret: short });
  channel.open?.(testContext());
  expect(await channel.unfit?.()).toContain("WATI_WEBHOOK_SECRET) is shorter than 16 characters");
  await expect(channel.verify(testRequest(`${url}?secret=${short}`, "{}"))).rejects.toThrow(
    "WATI_WEBHOOK_SECRET) is shorter",
  );
});

test.each(["secret", "token", "passkey"])(
  "the secret may be ?%s= of the URL, alone or not at all",
  async (name) => {
    const channel = wati({ apiUrl: "https://wati.example/1", token: "t", webhookSecret: secret });
    channel.open?.(testContext());
    const verdict = async (query: string) => (await channel.verify(testRequest(`${url}${query}`, "{}"))).kind;
    expect(await verdict(`?${name}=${secret}`)).toBe("authentic");
    expect(await verdict(`?a=b&${name}=${secret}#c`)).toBe("authentic");
    expect(await verdict(`?${name}=${secret}x`)).toBe("refused");
    expect(await verdict(`?${name}=`)).toBe("refused");
    expect(await verdict(`?x=${secret}`)).toBe("refused");
  },
);

test("a webhook whose URL holds the secret is proven before its body is read", async () => {
  const channel = wati({ apiUrl: "https://wati.example/1", token: "t", webhookSecret: secret });
  channel.open?.(testContext());
  const head = testRequest(`${url}?secret=${secret}`, "");
  const unreadable = {
    ...head,
    get body(): Buffer {
      throw new Error("was read");
    },
  };
  expect(await channel.verify(unreadable)).toEqual({ kind: "authentic" });
});
