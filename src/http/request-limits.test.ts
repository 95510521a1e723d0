import { afterEach, expect, test, vi } from "vitest";
import { serveStub, stubChannel, stubService } from "../../test/http/stub-service.ts";
import { API_REQUESTS_MAX, PROJECT_API_REQUESTS_MAX } from "./defaults.ts";
import type { Serving } from "./node.ts";

const OPERATOR = "token-of-the-operator";
const ACME = "token-of-acme-of-some-length";
const BETA = "token-of-beta-of-some-length";
const TWO = {
  apiToken: OPERATOR,
  projectTokens: { acme: { api: ACME }, beta: { api: BETA } },
  channels: { acme: stubChannel("web", { addresses: ["acme"] }) },
};

let serving: Serving | undefined;
afterEach(() => serving?.close(0));

type Ask = (token: string, path: string, init?: RequestInit) => Promise<Response>;

async function start(options: Parameters<typeof stubService>[0]): Promise<Ask> {
  serving = await serveStub(stubService({ ...TWO, ...options }));
  const { url } = serving;
  return (token, path, init = {}) =>
    fetch(url + path, { ...init, headers: { authorization: `Bearer ${token}` } });
}

/** Everything that reaches the store, or asks for the metrics, waits for the test. */
function stuck() {
  const held = Promise.withResolvers<never>();
  // What waited for nothing, where a test ends before.
  held.promise.catch(() => {});
  const inside = { count: 0 };
  const waiting = async () => {
    inside.count += 1;
    return held.promise;
  };
  const operations = { engine: waiting } as never;
  const options = { engine: waiting, metrics: waiting, forProject: () => operations };
  return { options, inside, go: () => held.reject(new Error("over")) };
}

test("a project that calls without a pause takes no places but its own", async () => {
  const { options, inside, go } = stuck();
  const ask = await start(options);
  const one = "/api/conversations/c_1";
  const answers = Array.from({ length: PROJECT_API_REQUESTS_MAX }, () => ask(ACME, one));
  await vi.waitUntil(() => inside.count === PROJECT_API_REQUESTS_MAX, 30_000);
  const tooMany = await ask(ACME, one);
  expect([tooMany.status, tooMany.headers.get("retry-after")]).toEqual([429, "1"]);

  answers.push(ask(BETA, "/api/locks"), ask(OPERATOR, "/api/counts"), ask(OPERATOR, "/metrics"));
  await vi.waitUntil(() => inside.count === PROJECT_API_REQUESTS_MAX + 3, 30_000);
  go();
  expect((await Promise.all(answers)).filter(({ status }) => status === 429)).toEqual([]);
});

test("two lists of a project are made at once, and the others wait; an operator's are all made", async () => {
  const { options, inside, go } = stuck();
  const ask = await start(options);
  const answers = ["locks", "dead", "refusals", "unknown", "conversations"].map((list) =>
    ask(ACME, `/api/${list}`),
  );
  await vi.waitUntil(() => inside.count === 2, 30_000);
  answers.push(ask(ACME, "/api/conversations/c_1"), ask(BETA, "/api/locks"));
  await vi.waitUntil(() => inside.count === 4, 30_000);
  answers.push(ask(OPERATOR, "/api/locks"), ask(OPERATOR, "/api/dead"), ask(OPERATOR, "/api/unknown"));
  await vi.waitUntil(() => inside.count === 7, 30_000);
  go();
  expect((await Promise.all(answers)).filter(({ status }) => status === 429)).toEqual([]);
  expect(inside.count).toBe(10);
});

test("a project searches twice at once, and goes on calling for other things", async () => {
  const { options, inside, go } = stuck();
  const ask = await start(options);
  const search = (token: string) => ask(token, "/api/conversations?search=nothing-like-it");
  const answers = [search(ACME), search(ACME)];
  await vi.waitUntil(() => inside.count === 2, 30_000);
  expect((await search(ACME)).status).toBe(429);
  answers.push(ask(ACME, "/api/locks"), search(BETA), search(OPERATOR), search(OPERATOR), search(OPERATOR));
  await vi.waitUntil(() => inside.count === 7, 30_000);
  go();
  await Promise.all(answers);
});

test("the operator's calls take no places of a project", async () => {
  const { options, inside, go } = stuck();
  const ask = await start(options);
  const answers = Array.from({ length: API_REQUESTS_MAX }, () => ask(OPERATOR, "/api/counts"));
  await vi.waitUntil(() => inside.count === API_REQUESTS_MAX, 30_000);
  expect((await ask(OPERATOR, "/api/counts")).status).toBe(429);
  answers.push(ask(ACME, "/api/locks"));
  await vi.waitUntil(() => inside.count === API_REQUESTS_MAX + 1, 30_000);
  go();
  await Promise.all(answers);
});

test("bodies of one project take no room of another's, or of the operator's", async () => {
  const { options, inside, go } = stuck();
  const ask = await start({ ...options, settings: { bodyBytesMax: 100_000, readingBytesMax: 100_000 } });
  const body = JSON.stringify({ text: "x".repeat(90_000) });
  const say = (token: string) => ask(token, "/api/conversations/c_1/say", { method: "POST", body });
  const answers = [say(ACME), say(ACME)];
  await vi.waitUntil(() => inside.count === 2, 30_000);
  expect((await say(ACME)).status).toBe(429);
  answers.push(say(BETA), say(OPERATOR));
  await vi.waitUntil(() => inside.count === 4, 30_000);
  go();
  expect((await Promise.all(answers)).filter(({ status }) => status === 429)).toEqual([]);
});

/** Two tenants with a page and a webhook each; acme's secret does not come until the test is over. */
async function withHangingSecret() {
  const held = Promise.withResolvers<never>();
  held.promise.catch(() => {});
  const inside = { count: 0 };
  const hang = () => {
    inside.count += 1;
    return held.promise;
  };
  const window = { kind: "fixed", lengthMs: 1 } as const;
  const page = (name: string, verify?: () => Promise<never>) =>
    stubChannel("web", { addresses: [name], ...(verify && { verify }) });
  const names = ["acme", "beta"];
  serving = await serveStub(
    stubService({
      channels: { acme: page("acme", hang), beta: page("beta") },
      settings: {
        ...{ requestsMax: 20, feedRequestsMax: 3 },
        channels: Object.fromEntries(names.map((name) => [name, { type: "web", window, project: name }])),
      },
      receive: async (name) => (name === "acme" ? hang() : { status: 200, headers: {}, body: "" }),
    }),
  );
  const { url } = serving;
  return { url, inside, go: () => held.reject(new Error("over")) };
}

const WAYS: Readonly<Record<string, (url: string, channel: string) => Promise<Response>>> = {
  feed: (url, channel) => fetch(`${url}/webhooks/${channel}/feed?sender=visitor-0001`),
  challenge: (url, channel) => fetch(`${url}/webhooks/${channel}`),
  webhook: (url, channel) => fetch(`${url}/webhooks/${channel}`, { method: "POST", body: "1" }),
  status: (url, channel) => fetch(`${url}/webhooks/${channel}/status`, { method: "POST", body: "1" }),
};

test.each([
  ["feed", 3],
  ["challenge", 3],
  ["webhook", 10],
  ["status", 1],
])("callers who prove nothing to one tenant's hanging %s take no place of another's", async (way, max) => {
  const { url, inside, go } = await withHangingSecret();
  const ask = WAYS[way]!;
  const answered: number[] = [];
  const crowd = Array.from({ length: 2 * max + 20 }, async () =>
    answered.push((await ask(url, "acme")).status),
  );
  await vi.waitUntil(() => answered.length === max + 20, 30_000);
  expect([inside.count, new Set(answered)]).toEqual([max, new Set([429])]);
  for (const other of Object.values(WAYS)) expect((await other(url, "beta")).status).not.toBe(429);
  go();
  await Promise.all(crowd);
});

/** As many tenants with a page each, of one kind of which something hangs until the test is over. */
async function tenants(count: number, settings: Parameters<typeof stubService>[0] & object) {
  const window = { kind: "fixed", lengthMs: 1 } as const;
  const names = Array.from({ length: count }, (_, n) => `t${n}`);
  const pages = names.map((name) => [name, stubChannel("web", { addresses: [name] })] as const);
  serving = await serveStub(
    stubService({
      ...settings,
      channels: Object.fromEntries(pages),
      settings: {
        ...settings.settings,
        channels: Object.fromEntries(names.map((name) => [name, { type: "web", window, project: name }])),
      },
    }),
  );
  return serving.url;
}

test("bodies that wait for one tenant's secret take no room of another's", async () => {
  const held = Promise.withResolvers<never>();
  held.promise.catch(() => {});
  const url = await tenants(2, {
    settings: { bodyBytesMax: 60_000, readingBytesMax: 1_000_000 },
    receive: async (name) => (name === "t0" ? held.promise : { status: 200, headers: {}, body: "" }),
  });
  const post = async (name: string, bytes: number) =>
    (await fetch(`${url}/webhooks/${name}`, { method: "POST", body: "x".repeat(bytes) })).status;
  const answered: number[] = [];
  const crowd = Array.from({ length: 40 }, async () => answered.push(await post("t0", 50_000)));
  await vi.waitUntil(() => answered.length >= 20, 30_000);
  expect(await post("t1", 1_000)).toBe(200);
  expect(await post("t1", 50_000)).toBe(200);
  held.reject(new Error("over"));
  await Promise.all(crowd);
});

test("a crowd at one tenant's page takes no place of the feeds of another's", async () => {
  const { options, inside, go } = stuck();
  const url = await tenants(2, { ...options, settings: { feedRequestsMax: 4 } });
  const feed = (name: string) => fetch(`${url}/webhooks/${name}/feed?sender=visitor-0001`);
  const answered: number[] = [];
  const crowd = Array.from({ length: 4 }, async () => answered.push((await feed("t0")).status));
  await vi.waitUntil(() => inside.count + answered.length === 4, 30_000);
  expect([inside.count, answered]).toEqual([2, [429, 429]]);
  const other = feed("t1");
  await vi.waitUntil(() => inside.count === 3, 30_000);
  go();
  await Promise.all([...crowd, other]);
});

test("however many tenants hang, one that does not has places left", async () => {
  const held = Promise.withResolvers<never>();
  held.promise.catch(() => {});
  const inside = { count: 0 };
  const url = await tenants(5, {
    settings: { requestsMax: 200 },
    receive: async (name) => {
      if (name === "t4") return { status: 200, headers: {}, body: "" };
      inside.count += 1;
      return held.promise;
    },
  });
  const post = async (name: string) =>
    (await fetch(`${url}/webhooks/${name}`, { method: "POST", body: "1" })).status;
  const answered: number[] = [];
  const crowd: Promise<unknown>[] = [];
  for (const name of ["t0", "t1", "t2", "t3"]) {
    for (let n = 0; n < 110; n += 1) crowd.push(post(name).then((status) => answered.push(status)));
    await vi.waitUntil(() => inside.count + answered.length === crowd.length, 30_000);
  }
  expect(await post("t4")).toBe(200);
  held.reject(new Error("over"));
  await Promise.all(crowd);
});
