import { expect, test } from "vitest";
import { stubService } from "../../test/http/stub-service.ts";
import { createEdge, type EdgeRequest } from "./edge.ts";

interface Caller {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly remoteAddress?: string | undefined;
}

function asked({ method = "GET", headers = {}, ...rest }: Caller = {}): EdgeRequest {
  return {
    method,
    path: method === "GET" ? "/api/counts" : "/api/pause",
    search: "",
    query: new URLSearchParams(),
    headers: { host: "localhost:8080", ...headers },
    remoteAddress: "remoteAddress" in rest ? rest.remoteAddress : "127.0.0.1",
    body: async () => Buffer.alloc(0),
  };
}

const open = createEdge(stubService());
const guarded = createEdge(
  stubService({ apiToken: { env: "LULL_API_TOKEN" }, secrets: { get: async () => "s3cret" } }),
);

test.each(["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"])(
  "without a token %s may use the API",
  async (remoteAddress) => {
    expect((await open(asked({ remoteAddress }))).status).toBe(200);
  },
);

test.each([
  "192.168.1.4",
  "10.127.0.1",
  "1127.0.0.1",
  "::ffff:10.0.0.1",
  "127.0.0.1.example.test",
  undefined,
])("without a token %s may not, and is told how", async (remoteAddress) => {
  const answer = await open(asked({ remoteAddress }));
  expect(answer.status).toBe(403);
  expect(answer.body).toContain("LULL_API_TOKEN");
});

test.each(["localhost", "LOCALHOST:80", "127.0.0.1:8080", "[::1]:8080"])(
  "the host %s is this machine",
  async (host) => {
    expect((await open(asked({ headers: { host } }))).status).toBe(200);
  },
);

test.each([
  "evil.example:8080",
  "localhost.evil.example",
  "127.0.0.1.nip.example",
  "",
  "localhost:8080@evil.example",
])("a page that points the name %j at loopback is refused", async (host) => {
  expect((await open(asked({ headers: { host } }))).status).toBe(403);
});

test.each(["https://evil.example", "http://localhost:3000", "null", "http://localhost:8080.evil.example"])(
  "a page from %s may not change anything",
  async (origin) => {
    expect((await open(asked({ method: "POST", headers: { origin } }))).status).toBe(403);
  },
);

test("a page from here, and a program without an origin, may", async () => {
  expect((await open(asked({ method: "POST", headers: { origin: "http://localhost:8080" } }))).status).toBe(
    200,
  );
  expect((await open(asked({ method: "POST" }))).status).toBe(200);
});

test.each(["x-forwarded-for", "forwarded", "x-real-ip", "via"])(
  "whoever comes through a proxy (%s) is not from this machine",
  async (name) => {
    expect((await open(asked({ headers: { [name]: "1.2.3.4" } }))).status).toBe(403);
  },
);

test("with a token, only the token counts", async () => {
  const away = {
    remoteAddress: "203.0.113.9",
    headers: { host: "bot.example.test", authorization: "Bearer s3cret" },
  };
  expect((await guarded(asked(away))).status).toBe(200);
  expect((await guarded(asked({ headers: { authorization: "bearer  s3cret" } }))).status).toBe(200);
});

test.each([
  {},
  { authorization: "Bearer wrong" },
  { authorization: "Basic s3cret" },
  { authorization: "Bearer " },
])("with a token, %j is a 401 that names the scheme", async (headers: Record<string, string>) => {
  const answer = await guarded(asked({ headers }));
  expect(answer.status).toBe(401);
  expect(answer.headers["www-authenticate"]).toMatch(/^Bearer/);
  expect(answer.body).not.toContain("s3cret");
});

test("an empty token lets nobody in", async () => {
  const empty = createEdge(stubService({ apiToken: "", secrets: { get: async () => "" } }));
  expect((await empty(asked({ headers: { authorization: "Bearer " } }))).status).toBe(403);
});

test("a refused caller's body is not read, and its route is not told", async () => {
  const read: number[] = [];
  const request = {
    ...asked({ remoteAddress: "203.0.113.9" }),
    path: "/api/no-such-route",
    body: async (bytesMax: number) => {
      read.push(bytesMax);
      return Buffer.alloc(0);
    },
  };
  expect((await open(request)).status).toBe(403);
  expect(read).toEqual([]);
});
