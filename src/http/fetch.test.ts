import { expect, test } from "vitest";
import { type StubOptions, stubChannel, stubService } from "../../test/http/stub-service.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { createEdge } from "./edge.ts";
import { toFetch } from "./fetch.ts";

function mounted(options: StubOptions = {}) {
  const service = stubService(options);
  return { service, fetch: toFetch(createEdge(service)) };
}

const hook = "http://bot.example.test/webhooks/whatsapp";
const streamed = (...parts: string[]) => ReadableStream.from(parts.map((part) => Buffer.from(part)));
const postStream = (body: ReadableStream) => new Request(hook, { method: "POST", body, duplex: "half" });

test("a Request goes in, a Response comes out", async () => {
  const { service, fetch } = mounted();
  const response = await fetch(
    new Request(`${hook}?a=%20`, { method: "POST", body: "Body=hi", headers: { "X-A": "1" } }),
  );
  expect([response.status, await response.text()]).toEqual([200, "staged"]);
  expect(service.received[0]).toMatchObject({
    channel: "whatsapp",
    request: { method: "POST", url: `${hook}?a=%20`, headers: { "x-a": "1" } },
  });
  expect(service.received[0]?.request.body.toString()).toBe("Body=hi");
});

test("a streamed body is read whole, up to the limit", async () => {
  const { service, fetch } = mounted({ settings: { bodyBytesMax: 6 } });
  expect((await fetch(postStream(streamed("abc", "def")))).status).toBe(200);
  expect(service.received[0]?.request.body.toString()).toBe("abcdef");
});

test("a body past the limit is refused in the channel's words, and its source is told to stop", async () => {
  const { service, fetch } = mounted({ settings: { bodyBytesMax: 5 } });
  let cancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(Buffer.from("abc")),
    cancel: () => {
      cancelled = true;
    },
  });
  const response = await fetch(postStream(endless));
  expect([response.status, await response.text()]).toEqual([413, "<whatsapp>PAYLOAD_TOO_LARGE</whatsapp>"]);
  expect(cancelled).toBe(true);
  expect(service.received).toEqual([]);
});

test("a body that is announced too large is not read", async () => {
  const { fetch } = mounted({ settings: { bodyBytesMax: 5 } });
  const request = new Request(hook, { method: "POST", body: "x", headers: { "content-length": "6" } });
  expect((await fetch(request)).status).toBe(413);
  expect(request.bodyUsed).toBe(false);
});

test("a body that breaks off is never staged", async () => {
  const { service, fetch } = mounted();
  const broken = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from("half")),
    pull: (controller) => controller.error(new Error("gone")),
  });
  expect((await fetch(postStream(broken))).status).toBe(400);
  expect(service.received).toEqual([]);
});

test("a body that does not come is given up, and its source is told to stop", async () => {
  const clock = fakeClock();
  const { service, fetch } = mounted({ clock });
  let cancelled = false;
  const stalled = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from("half")),
    cancel: () => {
      cancelled = true;
    },
  });
  const answer = fetch(postStream(stalled));
  await clock.advance(5_000);
  expect([(await answer).status, cancelled]).toEqual([408, true]);
  expect(service.received).toEqual([]);
});

test("what is refused by its headers is not read", async () => {
  const whatsapp = stubChannel("whatsapp", { glance: () => ({ code: "INVALID_SIGNATURE", why: "no" }) });
  const { service, fetch } = mounted({ channels: { whatsapp } });
  const request = new Request(hook, { method: "POST", body: "x" });
  expect(await (await fetch(request)).text()).toBe("<whatsapp>INVALID_SIGNATURE</whatsapp>");
  expect([request.bodyUsed, service.received]).toEqual([false, []]);
});

test("the API needs a token where the caller's address is not known", async () => {
  const { fetch } = mounted();
  const request = () => new Request("http://localhost:8080/api/counts");
  expect((await fetch(request())).status).toBe(403);
  expect((await fetch(request(), { remoteAddress: "127.0.0.1" })).status).toBe(200);
});

test("an answer without a body is one", async () => {
  const { fetch } = mounted({ receive: async () => ({ status: 204, headers: {}, body: "" }) });
  expect((await fetch(new Request(hook, { method: "POST", body: "x" }))).status).toBe(204);
  const head = await fetch(new Request("http://localhost/healthz", { method: "HEAD" }));
  expect([head.status, await head.text()]).toEqual([200, ""]);
});
