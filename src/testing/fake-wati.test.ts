import { afterEach, beforeEach, expect, test } from "vitest";
import { wati } from "../channels/wati/index.ts";
import type { Channel } from "../ports/channel.ts";
import { testContext, testRequest } from "./channel-context.ts";
import { type FakeWati, fakeWati } from "./fake-wati.ts";

const URL = "https://bot.example.com/webhooks/wati";
const inTime = new AbortController().signal;

let fake: FakeWati;
beforeEach(async () => {
  fake = fakeWati({ token: "a-token", webhookSecret: "a-secret-of-this-test" });
  await fake.start();
});
afterEach(() => fake.stop());

function opened(options = {}): Channel {
  const channel = wati({ ...fake.options(), ...options });
  channel.open?.(testContext());
  return channel;
}

test("a webhook that the fake makes is authentic, and with no other secret", async () => {
  const { headers, body } = fake.webhook({ from: "15550123", to: "15550100", text: "hola" });
  const request = testRequest(URL, body, headers);
  expect(await opened().verify(request)).toEqual({ kind: "authentic" });
  expect(opened().parse(request)).toMatchObject({
    messages: [{ sender: "15550123", address: "15550100", text: "hola" }],
  });
  expect(fake.ledger).toMatchObject([{ waId: "15550123", text: "hola", owner: false }]);
  const other = opened({ webhookSecret: "another-secret-of-this-test" });
  expect(await other.verify(request)).toMatchObject({ kind: "refused" });
});

test("what it tells a service to use is what it takes", async () => {
  const outgoing = {
    to: "15550123",
    text: "hello",
    reference: { turnId: "t", chunk: 0 },
    conversationId: "c_1",
  };
  expect((await opened().send({ ...outgoing, from: "+15550100" }, inTime)).kind).toBe("sent");
  expect(fake.sent).toMatchObject([{ waId: "15550123", text: "hello" }]);
  expect(fake.environment()).toEqual({
    WATI_API_URL: fake.url,
    WATI_TOKEN: "a-token",
    WATI_WEBHOOK_SECRET: "a-secret-of-this-test",
  });
  fake.behave({ kind: "error", status: 200, message: "no such number" });
  expect((await opened().send({ ...outgoing, from: "+15550100" }, inTime)).kind).toBe("not-sent");
});
