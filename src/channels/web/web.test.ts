import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { WebhookRequest } from "../../ports/channel.ts";
import { testContext, testRequest } from "../../testing/channel-context.ts";
import { type ChannelHarness, channelContract } from "../../testing/channel-contract.ts";
import { type WebOptions, web } from "./index.ts";

const secret = "secret-of-the-page";
const url = "https://bot.example.com/webhooks/web";
const JSON_TYPE = { "content-type": "application/json" };
const inTime = new AbortController().signal;

function signed(payload: string): WebhookRequest {
  const body = readFileSync(new URL(`payloads/${payload}.json`, import.meta.url), "utf8");
  const signature = createHmac("sha256", secret).update(JSON.parse(body).sender).digest("hex");
  return testRequest(url, body, { "content-type": "application/json", "x-lull-signature": signature });
}

const harness: ChannelHarness = {
  name: "web",
  family: "client",
  withoutProvider: "the page reads what was committed from the store: there is no provider in between",
  withoutEcho: "no provider posts our own messages back",
  async open() {
    const channel = web({ secret });
    channel.open?.(testContext());
    const text = signed("text");
    return {
      channel,
      payloads: Object.fromEntries(["text", "media", "program"].map((name) => [name, signed(name)])),
      forgeries: {
        unsigned: { ...text, headers: {} },
        "signed for another visitor": { ...text, headers: signed("program").headers },
        "without a sender": testRequest(url, "{}", { "x-lull-signature": "00" }),
      },
      outgoing: {
        to: "ana",
        from: "web",
        text: "Yes, until ten.",
        reference: { turnId: "turn-1", chunk: 0 },
        conversationId: "c_1",
      },
      close: async () => {},
    };
  },
};

for (const { title, skip, run } of channelContract(harness)) test.skipIf(skip !== undefined)(title, run);

function parse(body: object | string) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return web().parse(testRequest(url, text, JSON_TYPE));
}

test("a message from the page is a message", () => {
  expect(web({ address: "shop" }).parse(signed("media"))).toEqual({
    kind: "updates",
    statuses: [],
    messages: [
      {
        providerId: "ana/0198f3a1-0000-7000-8000-000000000002",
        account: "shop",
        address: "shop",
        sender: "ana",
        replyTo: "ana",
        text: "",
        media: [{ url: "https://files.example.com/menu.jpg", contentType: "image/jpeg", name: "menu.jpg" }],
      },
    ],
  });
});

test("sent_at is a date or milliseconds", () => {
  const sentAtMs = (name: string) => {
    const parsed = web().parse(signed(name));
    return parsed.kind === "updates" && parsed.messages[0]?.sentAtMs;
  };
  expect(sentAtMs("text")).toBe(1_794_718_800_123);
  expect(sentAtMs("program")).toBe(1_794_718_800_123);
});

test("two visitors may use the same id", () => {
  const id = (sender: string, name: string) => {
    const parsed = parse({ id: name, sender, text: "hi" });
    return parsed.kind === "updates" && parsed.messages[0]?.providerId;
  };
  expect(id("ana", "1")).not.toBe(id("ben", "1"));
  expect(id("a/b", "c")).not.toBe(id("a", "b/c"));
});

test.each<[object | string, string]>([
  ["nonsense", "the body must be a JSON object with id, sender and text"],
  [{}, "id is missing; sender is missing; text is missing"],
  [{ id: 1, sender: "ana", text: "hi" }, "id must be a string"],
  [{ id: "1", sender: "a".repeat(201), text: "hi" }, "sender is longer than 200 characters"],
  [{ id: "1", sender: "\ud800", text: "hi" }, "sender is not well-formed Unicode"],
  [{ id: "1", sender: "ana", text: 7 }, "text must be a string"],
  [{ id: "1", sender: "ana", text: "hi", sent_at: "soon" }, "sent_at must be milliseconds or a date"],
  [{ id: "1", sender: "ana", text: "hi", media: [{ url: "file:///etc/passwd" }] }, "media must be a list"],
])("the answer to %o says what is wrong", (body, why) => {
  const parsed = parse(body);
  expect(parsed.kind === "invalid" && parsed.why).toContain(why);
});

test("without a secret each sender is taken at its word", async () => {
  expect(await web().verify(testRequest(url, "{}"))).toEqual({ kind: "authentic" });
});

test("a chunk is sent as soon as it is written, and asking again gives the same answer", async () => {
  const { outgoing } = await harness.open();
  const sent = { kind: "sent", providerId: "web-turn-1.0" };
  expect(await web().send(outgoing, inTime)).toEqual(sent);
  expect(await web().reconcile?.({ ...outgoing, notBeforeAtMs: 0, excludeProviderIds: [] }, inTime)).toEqual(
    sent,
  );
});

test("the answer tells the page where its message went", () => {
  const { status, body } = web().answer({ conversationId: "c_1" });
  expect([status, JSON.parse(body)]).toEqual([200, { ok: true, conversation_id: "c_1" }]);
});

describe("a page that people merely visit", () => {
  const body = JSON.stringify({ id: "1", sender: "visitor-0001", text: "hi" });

  const verdict = async (headers: Record<string, string>, publicUrl?: string, options: WebOptions = {}) => {
    const channel = web(options);
    channel.open?.({ ...testContext(), ...(publicUrl !== undefined && { publicUrl }) });
    return (await channel.verify(testRequest(url, body, headers))).kind;
  };

  test.each([
    undefined,
    "text/plain",
    "text/plain;charset=UTF-8",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/json",
    "application/jsonp",
  ])("may post %s without a preflight: that is no message", (type) => {
    const parsed = web().parse(testRequest(url, body, type === undefined ? {} : { "content-type": type }));
    expect(parsed).toEqual({ kind: "invalid", why: "the content-type must be application/json" });
  });

  test.each(["application/json", "Application/JSON; charset=utf-8", "application/vnd.shop+json"])(
    "has to ask before it posts %s",
    (type) => {
      expect(web().parse(testRequest(url, body, { "content-type": type })).kind).toBe("updates");
    },
  );

  test.each([
    [{ "sec-fetch-site": "cross-site" }, "refused"],
    [{ "sec-fetch-site": "same-site" }, "refused"],
    [{ "sec-fetch-site": "same-origin" }, "authentic"],
    [{ "sec-fetch-site": "none" }, "authentic"],
    [{ "sec-fetch-site": "", origin: "https://evil.example.com" }, "refused"],
    [{ "sec-fetch-site": "Cross-Site", origin: "https://evil.example.com" }, "refused"],
    [{ "sec-fetch-site": "odd", origin: "https://bot.example.com" }, "authentic"],
    [{ origin: "https://evil.example.com" }, "refused"],
    [{ origin: "null" }, "refused"],
    [{ origin: "https://bot.example.com" }, "authentic"],
    [{}, "authentic"],
  ])("is told by what its browser says: %j is %s", async (headers: Record<string, string>, kind) => {
    expect(await verdict(headers, "https://bot.example.com/lull")).toBe(kind);
  });

  test("is not mistaken for ours where our own name is not known", async () => {
    const headers = { host: "behind-a-proxy.example.com", origin: "https://behind-a-proxy.example.com" };
    expect(await verdict(headers, undefined, { unsigned: true })).toBe("authentic");
  });

  test.each([
    [{ host: "localhost:8080" }, "authentic"],
    [{ host: "127.0.0.1:8080" }, "authentic"],
    [{ host: "[::1]:8080" }, "authentic"],
    [{}, "authentic"],
    [{ host: "evil.example.com:8080" }, "refused"],
    [{ host: "localhost.evil.example.com" }, "refused"],
    [{ host: "192.0.2.7:8080" }, "refused"],
    [{ host: "localhost:8080", "x-forwarded-for": "192.0.2.7" }, "refused"],
  ])(
    "where senders are not signed and nothing is public, only this machine may write: %j is %s",
    async (headers: Record<string, string>, kind) => {
      expect(await verdict(headers)).toBe(kind);
      expect(await verdict(headers, "https://bot.example.com")).toBe("authentic");
      expect(await verdict(headers, undefined, { unsigned: true })).toBe("authentic");
    },
  );
});

describe("a web channel that the whole world can write to", () => {
  const unfit = async (options: WebOptions, publicUrl?: string) => {
    const channel = web(options);
    channel.open?.({ ...testContext(), ...(publicUrl !== undefined && { publicUrl }) });
    return channel.unfit?.();
  };

  test("needs a secret, or an operator's word that it does not matter", async () => {
    expect(await unfit({}, "https://bot.example.com")).toContain("LULL_WEB_SECRET");
    expect(await unfit({ secret }, "https://bot.example.com")).toBeUndefined();
    expect(await unfit({ unsigned: true }, "https://bot.example.com")).toBeUndefined();
    expect(await unfit({})).toBeUndefined();
  });

  test("needs one that cannot be guessed, and takes nothing that is signed with another", async () => {
    expect(await unfit({ secret: "s".repeat(15) })).toContain("its secret is shorter than 16 characters");
    expect(await unfit({ secret: "s".repeat(16) })).toBeUndefined();
    const channel = web({ secret: "short" });
    channel.open?.(testContext());
    const signature = createHmac("sha256", "short").update("ana").digest("hex");
    const request = testRequest(url, JSON.stringify({ sender: "ana" }), { "x-lull-signature": signature });
    await expect(channel.verify(request)).rejects.toThrow("LULL_WEB_SECRET) is shorter");
  });
});

test("its address is its own, or its name", () => {
  const channel = web();
  expect(channel.addresses).toEqual(["web"]);
  channel.open?.({ ...testContext(), name: "shop" });
  expect(channel.addresses).toEqual(["shop"]);
  expect(web({ address: "counter" }).addresses).toEqual(["counter"]);
});

test("the address, the kind and the name of what is attached have a length", () => {
  const media = {
    url: `https://example.test/${"x".repeat(1_979)}`,
    content_type: "x".repeat(200),
    name: "x".repeat(200),
  };
  expect(parse({ id: "1", sender: "ana", media: [media] }).kind).toBe("updates");
  for (const field of Object.keys(media) as (keyof typeof media)[]) {
    const longer = { ...media, [field]: `${media[field]}x` };
    expect(parse({ id: "1", sender: "ana", media: [longer] })).toEqual({
      kind: "invalid",
      why: "a url of media may have 2000 characters, its content_type and its name 200",
    });
  }
});

describe("before its body is read", () => {
  const signature = { "x-lull-signature": "00" };
  const glance = (options: WebOptions, headers: Record<string, string>) => {
    const channel = web(options);
    channel.open?.(testContext());
    return channel.glance?.({ method: "POST", url, headers })?.code;
  };

  test.each<[string, WebOptions, Record<string, string>, string | undefined]>([
    ["with a signature", { secret }, { ...JSON_TYPE, ...signature }, undefined],
    ["without a signature", { secret }, JSON_TYPE, "INVALID_SIGNATURE"],
    ["without a signature, where none is needed", {}, JSON_TYPE, undefined],
    ["of another site's page", {}, { ...JSON_TYPE, "sec-fetch-site": "cross-site" }, "INVALID_SIGNATURE"],
    ["that is a form", {}, { "content-type": "application/x-www-form-urlencoded" }, "INVALID_PAYLOAD"],
    ["of no type", { secret }, signature, "INVALID_PAYLOAD"],
  ])("a message %s is judged", (_, options, headers, code) => {
    expect(glance(options, headers)).toBe(code);
  });
});

test("a body may have what the longest text and its media take, however they are escaped", () => {
  const media = Array.from({ length: 10 }, () => ({
    url: `https://example.test/${"x".repeat(1_979)}`,
    content_type: "x".repeat(200),
    name: "\\u4f60".repeat(200),
  }));
  const longest = { id: "x".repeat(200), sender: "x".repeat(200), text: "\\u4f60".repeat(8_000), media };
  const bytes = JSON.stringify(longest).replaceAll("\\\\", "\\").length;
  expect(web().bodyBytesMax).toBeGreaterThan(bytes);
  expect(web().bodyBytesMax).toBe(96_000);
  expect(web({ textLengthMax: 100 }).bodyBytesMax).toBe(48_600);
});
