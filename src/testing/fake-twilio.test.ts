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

test("a webhook that the fake makes is authentic, and its message is in the ledger", async () => {
  const url = "https://bot.example.com/webhooks/whatsapp#rc=3&rp=all";
  const media = [{ url: "https://example.com/a.jpg", contentType: "image/jpeg" }];
  const from = "whatsapp:+15550123";
  const inbound = {
    url,
    from,
    to: "whatsapp:+15550100",
    text: "hola & ciao",
    media,
    params: { ProfileName: "" },
  };
  const { headers, body } = fake.webhook(inbound);
  const request = testRequest(url, body, headers);
  expect(await opened().verify(request)).toEqual({ kind: "authentic" });
  const [sid] = fake.ledger.map((message) => message.sid);
  expect(opened().parse(request)).toMatchObject({
    messages: [
      { providerId: sid, sender: "+15550123", text: "hola & ciao", media: [{ url: media[0]?.url }] },
    ],
  });
  expect([fake.sent.length, fake.ledger.length]).toEqual([0, 1]);
  const other = fakeTwilio({ accountSid, authToken: "another-token" }).webhook(inbound);
  expect(await opened().verify(testRequest(url, other.body, other.headers))).toMatchObject({
    kind: "refused",
  });
});

test("without accounts of its own it takes every caller, and says which account to use", async () => {
  const open = fakeTwilio();
  expect(() => open.url).toThrow("start the fake first");
  await open.start();
  const channel = twilio.whatsapp(open.options());
  channel.open?.(testContext());
  expect((await channel.send(outgoing, inTime)).kind).toBe("sent");
  const { accountSid: sid, authToken: token } = open.options();
  expect(open.environment()).toEqual({
    TWILIO_ACCOUNT_SID: sid,
    TWILIO_AUTH_TOKEN: token,
    TWILIO_API_URL: open.url,
  });
  open.behave({ kind: "error", status: 400, code: 21610, message: "they do not want it" });
  expect((await channel.send(outgoing, inTime)).kind).toBe("not-sent");
  await open.stop();
});
