import { afterEach, beforeEach, expect, test } from "vitest";
import { twilio } from "../channels/twilio/index.ts";
import type { Channel, Outgoing } from "../ports/channel.ts";
import { testContext, testRequest } from "./channel-context.ts";
import { fakeServer, jsonReply } from "./fake-server.ts";
import { type FakeTwilio, fakeTwilio } from "./fake-twilio.ts";

const accountSid = "AC00000000000000000000000000000001";
const authToken = "test-auth-token";
const inTime = new AbortController().signal;
const outgoing: Outgoing = {
  to: "whatsapp:+50370000001",
  from: "+14155238886",
  text: "hello",
  reference: { turnId: "turn/1.x", chunk: 3 },
  conversationId: "c_1",
};

let fake: FakeTwilio;
beforeEach(async () => {
  fake = fakeTwilio({ accountSid, authToken });
  await fake.start();
});
afterEach(() => fake.stop());

function opened(statusUrl = "http://127.0.0.1/status"): Channel {
  const channel = twilio.whatsapp({ accountSid, authToken, apiUrl: fake.url });
  channel.open?.(testContext({ statusUrl }));
  return channel;
}

test("a status that the fake posts is authentic and names the chunk", async () => {
  const service = fakeServer({ handle: () => jsonReply(200, {}), refuse: () => jsonReply(500, {}) });
  await service.start();
  const channel = opened(`${service.url}/webhooks/whatsapp/status`);
  await channel.send(outgoing, inTime);
  await fake.postStatus(fake.sent[0]?.sid ?? "", "failed", 63016);
  await service.stop();

  const [posted] = service.requests;
  const url = String(fake.sent[0]?.statusCallback);
  const request = testRequest(url, posted?.body ?? "", posted?.headers as Record<string, string>);
  expect(await channel.verify(request)).toEqual({ kind: "authentic" });
  expect(channel.parse(request)).toMatchObject({
    statuses: [{ status: "failed", errorCode: "63016", chunk: outgoing.reference }],
  });
});

test("a message whose answer was dropped is in the ledger, one that was dropped before is not", async () => {
  const channel = opened();
  fake.behave(() => ({ kind: "drop", tookEffect: false }));
  await channel.send(outgoing, inTime);
  expect(fake.sent).toEqual([]);
  fake.behave(() => ({ kind: "drop" }));
  await channel.send(outgoing, inTime);
  expect(fake.sent.map(({ body }) => body)).toEqual(["hello"]);
});

test("a test that waits for a send is told when it comes, however slow the fake is", async () => {
  fake.behave(() => ({ kind: "ok", afterMs: 1 }));
  const told = fake.whenSent(1);
  const sent = opened().send(outgoing, inTime);
  await told;
  expect((await sent).kind).toBe("sent");
  await fake.whenSent(1);
});

test("a fake that was away comes back at the same place and remembers", async () => {
  const { url } = fake;
  await opened().send(outgoing, inTime);
  await fake.stop();
  await fake.start();
  expect(fake.url).toBe(url);
  expect(fake.sent.length).toBe(1);
});

test("a queued message has no date and fails the date filter, as at Twilio", async () => {
  fake.add({ body: "queued" });
  fake.add({ body: "sent", sentAtMs: Date.parse("2026-11-15T05:00:00Z") });
  const basic = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}`;
  const url = `${fake.url}/2010-04-01/Accounts/${accountSid}/Messages.json?DateSent%3E=2026-11-15`;
  const response = await fetch(url, { headers: { authorization: basic } });
  const { messages } = (await response.json()) as { messages: { body: string }[] };
  expect(messages.map(({ body }) => body)).toEqual(["sent"]);
});
