import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Channel, WebhookRequest } from "../../ports/channel.ts";
import { testContext, testRequest } from "../../testing/channel-context.ts";
import { wati } from "./index.ts";

const secret = "test-wati-secret";
const url = "https://bot.example.com/webhooks/wati";

function opened(): Channel {
  const channel = wati({ apiUrl: "https://live-mt-server.wati.io/100001/", webhookSecret: secret });
  channel.open?.(testContext());
  return channel;
}

function payload(name: string): WebhookRequest {
  return testRequest(url, readFileSync(new URL(`payloads/${name}.json`, import.meta.url)));
}

function message(request: WebhookRequest, channel = opened()) {
  const parsed = channel.parse(request);
  return parsed.kind === "updates" ? parsed.messages[0] : undefined;
}

test("a text message takes the business-scoped id as sender and the exact time as its own", () => {
  expect(message(payload("text"))).toEqual({
    providerId: "wamid.BBB1",
    account: "100001",
    address: "50320000000",
    sender: "SV.100000000001",
    senderAlias: "50370000001",
    replyTo: "50370000001",
    text: "Hola",
    media: [],
    sentAtMs: Date.parse("2026-11-15T05:00:00.123Z"),
    fields: {
      profileName: "Ana",
      waId: "50370000001",
      messageType: "text",
      ticketId: "69000000000000000000d001",
    },
  });
});

test("a customer without a phone number is answered by the business-scoped id", () => {
  expect(message(payload("message-bsuid"))).toMatchObject({
    sender: "SV.100000000001",
    replyTo: "SV.100000000001",
  });
  expect(message(payload("message-bsuid"))).not.toHaveProperty("senderAlias");
});

test("an id that is a number may be another customer's: the number that wrote is taken instead", () => {
  const body = { id: "1", waId: "19990002222", bsuid: "50370000777", text: "hi" };
  const named = message(testRequest("https://bot.example.com/webhooks/wati", JSON.stringify(body)));
  expect(named).toMatchObject({ sender: "19990002222", replyTo: "19990002222" });
  expect(named).not.toHaveProperty("senderAlias");
});

test.each([
  ["button-reply", "Confirmar"],
  ["list-reply", "Mesa para dos"],
  ["interactive-reply", "Sí"],
])("a tap (%s) says what is written on it", (name, text) => {
  expect(message(payload(name))?.text).toBe(text);
});

test("an attached file is media", () => {
  expect(message(payload("image"))?.media).toEqual([
    {
      url: "https://live-mt-server.wati.io/100001/api/file/showFile?fileName=data/images/7b1f0c.jpg",
      contentType: "image/jpeg",
      name: "7b1f0c.jpg",
    },
  ]);
});

test("our own messages and news about contacts are not for us", () => {
  expect(opened().parse(payload("own-echo"))).toEqual({ kind: "ignored", why: "our own message, echoed" });
  expect(opened().parse(payload("new-contact"))).toEqual({
    kind: "ignored",
    why: "event newContactMessageReceived",
  });
});

test("a delivery event names the chunk by our own name, where it has it", () => {
  expect(opened().parse(payload("status-delivered"))).toEqual({
    kind: "updates",
    messages: [],
    statuses: [
      {
        account: "100001",
        providerId: "wamid.OUT1",
        status: "delivered",
        chunk: { turnId: "turn.7", chunk: 0 },
      },
    ],
  });
  expect(opened().parse(payload("status-failed"))).toMatchObject({
    statuses: [{ providerId: "d38f0c3a-0000-4000-8000-000000000001", status: "failed", errorCode: "131047" }],
  });
});

test("a message without id but with a time has the same name when it comes again", () => {
  const first = message(payload("relayed"))?.providerId;
  expect(first).toMatch(/^wati-/);
  expect(message(payload("relayed"))?.providerId).toBe(first);
  const other = testRequest(url, '{"waId":"50370000001","text":"Mensaje 2","timestamp":"1794718800"}');
  expect(message(other)?.providerId).not.toBe(first);
  expect(message(payload("relayed"))?.sentAtMs).toBe(1_794_718_800_000);
});

test("two messages without id and time are two messages, even in the same millisecond", () => {
  const channel = opened();
  const ids = [1, 2].map(() => message(payload("relayed-bare"), channel)?.providerId);
  expect(new Set(ids).size).toBe(2);
});

test("a body without a sender, or that is no object, is invalid", () => {
  const parse = (body: string) => opened().parse(testRequest(url, body));
  expect(parse('{"text":"hi"}')).toEqual({ kind: "invalid", why: "missing: waId or bsuid" });
  for (const body of ["", "[]", "null", "7", "{"]) expect(parse(body).kind).toBe("invalid");
});

test.each<[string, WebhookRequest]>([
  ["?secret=", testRequest(`${url}?secret=${secret}`, "{}")],
  ["?token=", testRequest(`${url}?a=1&token=${secret}#x`, "{}")],
  ["x-wati-secret", testRequest(url, "{}", { "x-wati-secret": secret })],
  ["a bearer token", testRequest(url, "{}", { authorization: `Bearer ${secret}` })],
  ["passkey in the body", testRequest(url, `{"passkey":"${secret}"}`)],
])("the secret may come as %s", async (_, request) => {
  expect(await opened().verify(request)).toEqual({ kind: "authentic" });
});

test("an authentic body that makes no sense is acknowledged, or WATI would send it for a day", () => {
  const { status, body } = opened().answer({ code: "INVALID_PAYLOAD", detail: "missing: waId or bsuid" });
  expect(status).toBe(200);
  expect(JSON.parse(body)).toEqual({ ok: false, code: "INVALID_PAYLOAD", detail: "missing: waId or bsuid" });
  expect(JSON.parse(opened().answer({ conversationId: "c_1" }).body)).toEqual({
    ok: true,
    conversation_id: "c_1",
  });
});

test("a missing API endpoint is told when the channel opens", () => {
  expect(() => wati({ apiUrl: "nowhere" }).open?.(testContext({ name: "wa" }))).toThrow(
    /channels\.wa.*WATI_API_URL/,
  );
  for (const apiUrl of ["nowhere", "https://user:pw@x.example/1", "https://x.example/1?pw"])
    expect(() => wati({ apiUrl }).open?.(testContext({ name: "wa" }))).toThrow(
      /channels\.wa: apiUrl \(WATI_API_URL\) must be a URL(?!.*pw)/,
    );
});
