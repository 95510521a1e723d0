import { describe, expect, test } from "vitest";
import { seedLock, seedMessage } from "./seed-rows.ts";

const SID = `SM${"a".repeat(32)}`;
const ACCOUNT = `AC${"0".repeat(32)}`;
const TEN = Date.UTC(2026, 0, 1, 10);
const lean = { conversation_id: "c1", message_sid: SID, primary_channel: "+15550110", body: "hi" };
const context = {
  from: "whatsapp:+15550110",
  to: "whatsapp:+15550100",
  message_sid: SID,
  account_sid: ACCOUNT,
  body: "hi",
  media_url0: "https://media.example/a.jpg",
  profile_name: "Ana",
  message_status: "received",
};
const webhook = new URLSearchParams({ MessageSid: SID, AccountSid: ACCOUNT, From: context.from, Body: "hi" });

describe("a staged message", () => {
  test.each([
    ["ISO", "2026-01-01T10:00:00Z"],
    ["ISO without a zone", "2026-01-01T10:00:00"],
    ["seconds", TEN / 1_000],
    ["milliseconds", TEN],
  ])("is read with its time in %s", (_, received_at) => {
    expect(seedMessage({ ...lean, received_at })).toMatchObject({
      conversationId: "c1",
      messageSid: SID,
      primaryChannel: "+15550110",
      receivedAtMs: TEN,
      form: { Body: "hi" },
    });
  });

  test.each([
    ["the whole context", { context_object: context }],
    ["its JSON", { context_object: JSON.stringify(context) }],
    ["what came, parsed", { raw_message_data: context }],
    ["what came, as JSON", { raw_message_data: JSON.stringify(context) }],
  ])("of seed 001 or 003 is read from %s", (_, held) => {
    const row = { conversation_id: "c1", arrival_timestamp: "2026-01-01T10:00:00Z", ...held };
    expect(seedMessage(row)).toMatchObject({
      messageSid: SID,
      primaryChannel: "whatsapp:+15550110",
      receivedAtMs: TEN,
      form: {
        AccountSid: ACCOUNT,
        To: "whatsapp:+15550100",
        MediaUrl0: "https://media.example/a.jpg",
        ProfileName: "Ana",
      },
    });
  });

  test.each([
    ["a form", webhook.toString()],
    ["the gateway's event", { httpMethod: "POST", body: webhook.toString() }],
    [
      "the gateway's event in base64",
      { isBase64Encoded: true, body: Buffer.from(webhook.toString()).toString("base64") },
    ],
  ])("is read from %s", (_, raw_message_data) => {
    expect(seedMessage({ conversation_id: "c1", arrival_timestamp: "x", raw_message_data })).toMatchObject({
      messageSid: SID,
      receivedAtMs: undefined,
      form: { AccountSid: ACCOUNT, Body: "hi" },
    });
  });

  test("of seed 001 may have more than its time in its key", () => {
    const row = {
      conversation_id: "c1",
      arrival_timestamp: "2026-01-01T10:00:00Z#7",
      context_object: context,
    };
    expect(seedMessage(row)).toMatchObject({ receivedAtMs: TEN });
  });

  test("that names its state is no status callback", () => {
    const read = seedMessage({ conversation_id: "c1", context_object: context });
    expect(read.kind === "message" && "MessageStatus" in read.form).toBe(false);
  });

  const url = "https://media.example/a.jpg";
  const contentType = "image/jpeg";

  test.each([
    [{ media_url0: url, media_content_type0: contentType }],
    [{ media_url_0: url, media_content_type_0: contentType, num_media: "1" }],
    [{ MediaUrl0: url, MediaContentType0: contentType, NumMedia: 1 }],
    [{ media_urls: [url], media_content_types: [contentType] }],
    [{ media_urls: new Set([url]), media_types: contentType }],
    [{ media_url: url, media_content_type: contentType }],
    [{ media: [{ url, content_type: contentType }], num_media: 1 }],
    [{ media: { url, contentType } }],
    [{ media: { 0: { media_url: url, mime_type: contentType } } }],
    [{ media: JSON.stringify([{ MediaUrl: url, MediaContentType: contentType }]) }],
    [{ attachments: [{ link: url, type: contentType }], media: [], media_url0: null }],
    [{ context_object: { num_media: "1", media: [{ uri: url, mimeType: contentType }] }, num_media: 0 }],
    [{ raw_message_data: { NumMedia: "1", MediaUrl0: url, MediaContentType0: contentType } }],
    [{ media_url0: url, media_content_type0: contentType, context_object: { media_urls: [url] } }],
  ])("has its media as %j, also without a text", (media) => {
    for (const body of [null, undefined, "", "look"]) {
      const read = seedMessage({ ...lean, body, ...media });
      const form = { NumMedia: "1", MediaUrl0: url, MediaContentType0: contentType };
      expect(read).toMatchObject({ kind: "message", form });
      expect(read.kind === "message" && "MediaUrl1" in read.form).toBe(false);
    }
  });

  test("has all of its media, in their order, and none under another name", () => {
    const many = Array.from({ length: 11 }, (_, n) => `https://media.example/${n}`);
    const numbered = Object.fromEntries(many.map((each, n) => [`media_url${n}`, each]).reverse());
    for (const media of [numbered, { media: many }]) {
      const read = seedMessage({ ...lean, num_media: 11, ...media });
      const { form } = read as { form: Record<string, string> };
      expect(many.map((_, n) => form[`MediaUrl${n}`])).toEqual(many);
      expect(Object.keys(form).filter((name) => /^Media\w*_/.test(name))).toEqual([]);
    }
  });

  test.each([
    [{ num_media: 1 }],
    [{ num_media: "2", media_url0: url }],
    [{ context_object: { num_media: 1 }, body: "look" }],
    [{ media: [url, { id: "media-1" }] }],
    [{ media: "wamid.1" }],
    [{ media: { items: [[url]] } }],
    [{ media_url0: url, media_url1: 7 }],
    [{ raw_message_data: "NumMedia=1&Body=look" }],
    [{ body: "" }],
    [{ body: "", image: url }],
  ])("is incomplete as %j: what cannot be read is not dropped, and not quoted", (row) => {
    const read = seedMessage({ ...lean, body: undefined, received_at: TEN, ...row });
    const why = expect.not.stringMatching(/media\.example|wamid|look/);
    expect(read).toEqual({ kind: "incomplete", conversationId: "c1", receivedAtMs: TEN, why });
  });

  test("that is a place or a pressed button has neither text nor media", () => {
    for (const content of [
      { latitude: 1, longitude: 2 },
      { button_payload: "yes" },
      { media: "none", body: "x" },
    ])
      expect(seedMessage({ ...lean, body: undefined, ...content }).kind).toBe("message");
  });

  test.each([
    [{}],
    [{ ...lean, conversation_id: 7 }],
    [{ ...lean, body: undefined }],
    [{ ...lean, message_sid: undefined }],
    [{ ...lean, message_sid: null, context_object: "no JSON" }],
    [{ ...lean, body: 7 }],
    [{ conversation_id: "c1", context_object: { ...context, body: ["hi"] } }],
    [{ conversation_id: "c1", raw_message_data: new Uint8Array(3) }],
  ])("is junk as %o, and the reason quotes nothing", (row) => {
    const read = seedMessage(row);
    expect(read).toEqual({ kind: "junk", why: expect.stringMatching(/^\w+ is no text$|^it has neither/) });
  });
});

test.each([
  [{ conversation_id: "c1", expires_at: TEN / 1_000 }, "lock"],
  [{ conversation_id: "c1", expires_at: "soon" }, "junk"],
  [{ conversation_id: "c1" }, "junk"],
  [{ expires_at: 1 }, "junk"],
])("%o is a %s", (row, kind) => {
  expect(seedLock(row).kind).toBe(kind);
});
