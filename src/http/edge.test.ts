import { afterEach, expect, test, vi } from "vitest";
import {
  type Stub,
  type StubOptions,
  serveStub,
  stubChannel,
  stubService,
} from "../../test/http/stub-service.ts";
import { web } from "../channels/web/index.ts";
import { DEFAULTS } from "../core/defaults.ts";
import { LullError, StoreUnavailable } from "../errors.ts";
import { createService } from "../runtime/create-service.ts";
import { API_REQUESTS_MAX, OTHER_REQUESTS_MAX, STATUS_SHARE } from "./defaults.ts";
import { createEdge, type EdgeOptions } from "./edge.ts";
import type { Serving } from "./node.ts";

let serving: Serving | undefined;
afterEach(() => serving?.close(0));

async function start(
  options: StubOptions = {},
  edge: EdgeOptions = {},
): Promise<{ url: string; service: Stub }> {
  const service = stubService(options);
  serving = await serveStub(service, { edge });
  return { url: serving.url, service };
}

test("a webhook reaches the service with its raw body, headers and the URL that was called", async () => {
  const { url, service } = await start();
  const answer = await fetch(`${url}/webhooks/whatsapp?a=1&b=%20`, {
    method: "POST",
    body: "Body=hi&Empty=",
    headers: { "x-twilio-signature": "s" },
  });
  expect([answer.status, await answer.text()]).toEqual([200, "staged"]);
  const [{ channel, request }] = service.received as [Stub["received"][number]];
  expect(channel).toBe("whatsapp");
  expect(request.method).toBe("POST");
  expect(request.url).toBe(`${url}/webhooks/whatsapp?a=1&b=%20`);
  expect(request.headers["x-twilio-signature"]).toBe("s");
  expect(request.body.toString()).toBe("Body=hi&Empty=");
});

test("with a public URL the webhook's URL is made from it, whatever the Host header says", async () => {
  const { url, service } = await start({ publicUrl: "https://bot.example.test/lull/" });
  await fetch(`${url}/webhooks/whatsapp?x=1`, { method: "POST", body: "b" });
  expect(service.received[0]?.request.url).toBe("https://bot.example.test/lull/webhooks/whatsapp?x=1");
});

test("a webhook for an unknown channel is logged, without the name that its caller gave it", async () => {
  const { url, service } = await start();
  await fetch(`${url}/webhooks/whatsap`, { method: "POST", body: "b" });
  await fetch(`${url}/webhooks/whatsap`);
  expect(service.logged).toEqual([
    { event: "webhook.refused", fields: expect.objectContaining({ code: "ROUTE_NOT_FOUND" }) },
  ]);
  expect(JSON.stringify(service.logged)).not.toContain("whatsap");
});

test("status callbacks, challenges by GET and a slash at the end find their way", async () => {
  const { url, service } = await start();
  await fetch(`${url}/webhooks/whatsapp/status`, { method: "POST", body: "s" });
  await fetch(`${url}/webhooks/whatsapp?hub.challenge=1`);
  await fetch(`${url}/webhooks/whatsapp/`, { method: "POST", body: "s" });
  const asked = service.received.map(({ channel, request }) => {
    return [channel, request.method, new URL(request.url).pathname];
  });
  expect(asked).toEqual([
    ["whatsapp", "POST", "/webhooks/whatsapp/status"],
    ["whatsapp", "GET", "/webhooks/whatsapp"],
    ["whatsapp", "POST", "/webhooks/whatsapp/"],
  ]);
});

test("an old path of a channel is served like the channel's own, with the URL that was called", async () => {
  const { url, service } = await start({ aliases: { "/webhook": "whatsapp", "/old/hook": "whatsapp" } });
  for (const path of ["/webhook?passkey=x", "/webhook/", "/old/hook", "/webhook?hub.challenge=1"]) {
    const method = path.includes("challenge") ? "GET" : "POST";
    expect((await fetch(url + path, { method, ...(method === "POST" && { body: "b" }) })).status).toBe(200);
  }
  const asked = service.received.map(({ channel, request }) => [channel, request.method, request.url]);
  expect(asked).toEqual([
    ["whatsapp", "POST", `${url}/webhook?passkey=x`],
    ["whatsapp", "POST", `${url}/webhook/`],
    ["whatsapp", "POST", `${url}/old/hook`],
    ["whatsapp", "GET", `${url}/webhook?hub.challenge=1`],
  ]);
});

test.each([
  ["PUT", "/webhook", 405],
  ["POST", "/webhook/status", 404],
  ["GET", "/web/feed", 404],
  ["POST", "/webhook//", 404],
  ["POST", "/Webhook", 404],
  ["POST", "/web%68ook", 404],
  ["POST", "/__proto__", 404],
])("beside old paths, %s %s is answered with %i and reaches no channel", async (method, path, status) => {
  const { url, service } = await start({ aliases: { "/webhook": "whatsapp", "/web": "web" } });
  expect((await fetch(url + path, { method })).status).toBe(status);
  expect(service.received).toEqual([]);
});

test("an old path has the limits of its channel, and none where only the API is served", async () => {
  const aliases = { "/webhook": "whatsapp" };
  const channels = { whatsapp: stubChannel("whatsapp", { bodyBytesMax: 3 }) };
  const { url } = await start({ aliases, channels });
  expect((await fetch(`${url}/webhook`, { method: "POST", body: "four" })).status).toBe(413);
  await serving?.close(0);
  const { url: apiOnly } = await start({ aliases }, { serves: "api" });
  expect((await fetch(`${apiOnly}/webhook`, { method: "POST", body: "b" })).status).toBe(404);
});

test.each([
  ["POST", "/webhooks/unknown", 404],
  ["POST", "/webhooks/__proto__", 404],
  ["POST", "/webhooks/constructor", 404],
  ["POST", "/webhooks/whatsapp/else", 404],
  ["GET", "/webhooks/whatsapp/feed", 404],
  ["GET", "/nothing", 404],
  ["PUT", "/webhooks/whatsapp", 405],
  ["GET", "/webhooks/whatsapp/status", 405],
  ["POST", "/", 405],
  ["POST", "/healthz", 405],
  ["POST", "/webhooks/web/feed", 405],
])("%s %s is answered with %i, as JSON, and reaches no channel", async (method, path, status) => {
  const { url, service } = await start();
  const answer = await fetch(url + path, { method });
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({
    error: { code: expect.any(String), message: expect.any(String) },
  });
  expect(answer.headers.has("allow")).toBe(status === 405);
  expect(service.received).toEqual([]);
});

test("the process is healthy as long as it answers, and ready while its store can be written", async () => {
  let broken: Error | undefined;
  const { url } = await start({
    ready: async () => {
      if (broken) throw broken;
    },
  });
  const ask = async (path: string) => {
    const answer = await fetch(url + path);
    return [answer.status, await answer.json()];
  };
  expect(await ask("/readyz")).toEqual([200, { status: "ready" }]);
  broken = new StoreUnavailable("the disk is full");
  expect(await ask("/readyz")).toEqual([503, { status: "unavailable", reason: "the disk is full" }]);
  broken = new Error("password=hunter2");
  expect(await ask("/readyz")).toEqual([503, { status: "unavailable", reason: "the store does not answer" }]);
  expect(await ask("/healthz")).toEqual([200, { status: "ok" }]);
});

/** A service that answers nothing before the test lets it, and how many requests are inside. */
function stuck() {
  const held = Promise.withResolvers<void>();
  const inside: string[] = [];
  const waiting = async (name: string) => {
    inside.push(name);
    await held.promise;
    return { status: 200, headers: {}, body: "staged" };
  };
  const options: StubOptions = {
    receive: (_channel, { url }) => waiting(url.endsWith("/status") ? "status" : "webhooks"),
    ready: async () => void (await waiting("other")),
    engine: () => waiting("engine") as never,
  };
  return { options, inside, go: held.resolve };
}

const KINDS: Readonly<Record<string, (url: string) => Promise<Response>>> = {
  webhooks: (url) => fetch(`${url}/webhooks/whatsapp`, { method: "POST", body: "1" }),
  status: (url) => fetch(`${url}/webhooks/whatsapp/status`, { method: "POST", body: "1" }),
  feed: (url) => fetch(`${url}/webhooks/web/feed?sender=visitor-0001`),
  challenge: (url) => fetch(`${url}/webhooks/whatsapp?challenge=1`),
  api: (url) => fetch(`${url}/api/counts`),
  other: (url) => fetch(`${url}/readyz`),
};

test.each([
  ["webhooks", 20, ["status", "feed", "api", "other"]],
  ["status", 2, ["webhooks", "feed", "api", "other"]],
  ["feed", 3, ["webhooks", "status", "api", "other"]],
  ["challenge", 3, ["webhooks", "status", "api", "other"]],
  ["api", API_REQUESTS_MAX, ["webhooks", "status", "feed", "other"]],
  ["other", OTHER_REQUESTS_MAX, ["webhooks", "status", "feed", "api"]],
])("past its number of %s callers are told to slow down, and no others are", async (kind, max, others) => {
  const { options, inside, go } = stuck();
  const { url } = await start({ ...options, settings: { requestsMax: 20, feedRequestsMax: 3 } });
  const ask = KINDS[kind]!;
  const answers = Array.from({ length: max }, () => ask(url));
  await vi.waitUntil(() => inside.length === max, 30_000);
  const tooMany = await ask(url);
  expect([tooMany.status, tooMany.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(await tooMany.text()).toContain("RATE_LIMITED");
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  for (const other of others) answers.push(KINDS[other]!(url));
  await vi.waitUntil(() => inside.length === max + others.length, 30_000);
  go();
  expect((await Promise.all(answers)).filter(({ status }) => status === 429)).toEqual([]);
  expect((await ask(url)).status).not.toBe(429);
});

test("webhooks that are one too many are told so in their channel's words", async () => {
  const { options, inside, go } = stuck();
  const { url } = await start({ ...options, settings: { requestsMax: 1 } });
  const first = KINDS.webhooks!(url);
  await vi.waitUntil(() => inside.length === 1, 30_000);
  expect(await (await KINDS.webhooks!(url)).text()).toBe("<whatsapp>RATE_LIMITED</whatsapp>");
  go();
  await first;
});

test("fewer requests may run at once than connections may be open, so one too many hears of it", () => {
  const { requestsMax, feedRequestsMax, connectionsMax } = DEFAULTS;
  const together = requestsMax * (1 + STATUS_SHARE) + feedRequestsMax + API_REQUESTS_MAX + OTHER_REQUESTS_MAX;
  expect(together).toBeLessThan(connectionsMax);
});

test("whole bodies count until their requests are over: their callers are not proven before", async () => {
  const { options, inside, go } = stuck();
  const { url } = await start({ ...options, settings: { bodyBytesMax: 5_000, readingBytesMax: 30_000 } });
  const post = () => fetch(`${url}/webhooks/whatsapp`, { method: "POST", body: "x".repeat(5_000) });
  const answers: Promise<Response>[] = [];
  for (let n = 1; n <= 4; n += 1) {
    answers.push(post());
    await vi.waitUntil(() => inside.length === n, 30_000);
  }
  expect((await post()).status).toBe(429);
  go();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await post()).status).toBe(200);
});

test("callers with a token need no room among the others, and each of their bodies fits", async () => {
  const { options, inside, go } = stuck();
  const whatsapp = stubChannel("whatsapp", { bodyBytesMax: 5_000 });
  const { url } = await start({
    ...options,
    channels: { whatsapp },
    settings: { readingBytesMax: 5_000, bodyBytesMax: 400_000 },
  });
  const api = (length: number) =>
    fetch(`${url}/api/conversations`, { method: "POST", body: "x".repeat(length) });
  expect([(await api(400_000)).status, (await api(400_001)).status]).toEqual([400, 413]);
  const unproven = () => fetch(`${url}/webhooks/whatsapp`, { method: "POST", body: "x".repeat(5_000) });
  const answers = [unproven(), unproven()];
  await vi.waitUntil(() => inside.length === 2, 30_000);
  expect((await unproven()).status).toBe(429);
  expect((await api(400_000)).status).toBe(400);
  go();
  await Promise.all(answers);
});

test("a path or a query that is longer than any of ours is not looked at", async () => {
  const { url, service } = await start();
  const ask = async (length: number) => {
    const query = `?x=${"x".repeat(length - "/webhooks/whatsapp?x=".length)}`;
    return (await fetch(`${url}/webhooks/whatsapp${query}`, { method: "POST", body: "hi" })).status;
  };
  expect(await ask(8_000)).toBe(200);
  expect(await ask(8_001)).toBe(414);
  expect(service.received.length).toBe(1);
});

test("an unexpected error tells the caller nothing; the log says where it was, not its message", async () => {
  const { url, service } = await start({
    receive: async () => {
      throw new TypeError("secret detail");
    },
  });
  const answer = await fetch(`${url}/webhooks/whatsapp`, { method: "POST", body: "b" });
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain("secret");
  expect(service.logged).toEqual([
    {
      event: "http.error",
      fields: {
        method: "POST",
        area: "/webhooks",
        reason: expect.stringMatching(/^TypeError at edge\.test\.ts:\d+:\d+$/),
      },
    },
  ]);
});

test("a request that fails again and again is told once, and then as a number", async () => {
  const lines: string[] = [];
  const broken = async () => {
    throw new Error("a secret");
  };
  const service = createService({
    engine: { open: broken } as never,
    channels: { web: web() },
    log: (level, event) => void (level === "debug" || lines.push(event)),
  });
  const handle = createEdge(service);
  const asked = { method: "GET", path: "/api/counts", search: "", query: new URLSearchParams() };
  const from = {
    headers: { host: "localhost" },
    remoteAddress: "127.0.0.1",
    body: async () => Buffer.alloc(0),
  };
  for (let n = 0; n < 30; n += 1) expect((await handle({ ...asked, ...from })).status).toBe(500);
  expect(lines).toEqual(["http.error"]);
  await service.stop();
  expect(lines).toEqual(["http.error", "http.errors"]);
});

test("a parser's message quotes what a customer wrote and is not logged", async () => {
  const { url, service } = await start({
    receive: async () => JSON.parse("my card number is") as never,
  });
  await fetch(`${url}/webhooks/whatsapp`, { method: "POST", body: "b" });
  expect(JSON.stringify(service.logged)).not.toContain("card");
});

test("an error that time may heal is a 503 with Retry-After", async () => {
  const { url } = await start({
    engine: async () => {
      throw new LullError("busy", { code: "STORE_UNAVAILABLE", retry: "later", retryAfterMs: 2_500 });
    },
  });
  const answer = await fetch(`${url}/api/counts`);
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "3"]);
});

test("the phone stands at / where there is a web channel, else a note that names no channel", async () => {
  const withPhone = await start();
  const page = await fetch(withPhone.url);
  expect(page.headers.get("content-type")).toContain("text/html");
  expect(await page.text()).toContain("Lull waits for the lull");
  await serving?.close(0);

  const hidden = await start({}, { page: false });
  expect((await fetch(hidden.url)).headers.get("content-type")).toContain("json");
  await serving?.close(0);

  const without = await start({ channels: { secretname: stubChannel("whatsapp") } });
  const note = await fetch(without.url);
  expect(note.status).toBe(200);
  expect(await note.text()).not.toContain("secretname");
});
