import { describe, expect, test } from "vitest";
import { stubService } from "../../test/http/stub-service.ts";
import { ConfigError, LullError } from "../errors.ts";
import type { Service } from "../runtime/service.ts";
import type { FakeClock } from "../testing/fake-clock.ts";
import { ROUTES } from "./api.ts";
import { createAccess } from "./api-access.ts";
import { createEdge } from "./edge.ts";
import type { EdgeRequest } from "./edge-request.ts";

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

const TOKENS: Record<string, string> = {
  LULL_API_TOKEN: "s3cret-of-16-and-more",
  LULL_TURN_TOKEN: "only-for-answers",
};
const secrets = { get: async (reference: unknown) => TOKENS[(reference as { env: string }).env] ?? "" };
const withToken = { apiToken: { env: "LULL_API_TOKEN" }, secrets };
const withBoth = { ...withToken, turnToken: { env: "LULL_TURN_TOKEN" } };
const open = createEdge(stubService());
// A new one each time: a caller that tries wrong tokens waits longer and longer.
const guarded = (request: EdgeRequest) => createEdge(stubService(withToken))(request);

function bearing(token: string, caller: Caller = {}): EdgeRequest {
  return asked({ ...caller, headers: { ...caller.headers, authorization: `Bearer ${token}` } });
}

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

test.each(["GET", "POST"])("a page of another site may not even ask (%s)", async (method) => {
  for (const site of ["cross-site", "same-site"])
    expect((await open(asked({ method, headers: { "sec-fetch-site": site } }))).status).toBe(403);
  for (const site of ["same-origin", "none"])
    expect((await open(asked({ method, headers: { "sec-fetch-site": site } }))).status).toBe(200);
});

test("a page from here, and a program without an origin, may", async () => {
  expect((await open(asked({ method: "POST", headers: { origin: "http://localhost:8080" } }))).status).toBe(
    200,
  );
  expect((await open(asked({ method: "POST" }))).status).toBe(200);
});

test.each(["x-forwarded-for", "forwarded", "x-real-ip", "via"])(
  "a caller that comes through a proxy (%s) is not from this machine",
  async (name) => {
    expect((await open(asked({ headers: { [name]: "1.2.3.4" } }))).status).toBe(403);
  },
);

test("with a token, only the token counts", async () => {
  const away = {
    remoteAddress: "203.0.113.9",
    headers: { host: "bot.example.test", authorization: "Bearer s3cret-of-16-and-more" },
  };
  expect((await guarded(asked(away))).status).toBe(200);
  expect((await guarded(asked({ headers: { authorization: "bearer  s3cret-of-16-and-more" } }))).status).toBe(
    200,
  );
});

test.each([
  {},
  { authorization: "Bearer wrong" },
  { authorization: "Basic s3cret-of-16-and-more" },
  { authorization: "Bearer " },
])("with a token, %j is a 401 that names the scheme", async (headers: Record<string, string>) => {
  const answer = await guarded(asked({ headers }));
  expect(answer.status).toBe(401);
  expect(answer.headers["www-authenticate"]).toMatch(/^Bearer/);
  expect(answer.body).not.toContain("s3cret-of-16-and-more");
});

test.each(["", "x", "fifteen-letters"])("the token %j is too short to admit any caller", async (token) => {
  const service = stubService({ apiToken: "given", secrets: { get: async () => token } });
  const answer = await createEdge(service)(bearing(token || "no-token-at-all"));
  expect([answer.status, answer.body]).toEqual([503, expect.not.stringContaining("characters")]);
  const fields = {
    secret: "LULL_API_TOKEN",
    reason: expect.stringContaining("is shorter than 16 characters"),
  };
  expect(service.logged).toContainEqual({ event: "config.failed", fields });
});

test("a turn is answered while the other token cannot be read", async () => {
  const get: Service["secrets"]["get"] = async (reference) => {
    if (reference === withBoth.apiToken) throw new ConfigError("the secret file is gone");
    return "only-for-answers";
  };
  const handle = createEdge(stubService({ ...withBoth, secrets: { get } }));
  const reply = { ...bearing("only-for-answers", { method: "POST" }), path: "/api/turns/t_1/reply" };
  expect((await handle(reply)).status).toBe(202);
  expect((await handle(bearing("s3cret-of-16-and-more"))).status).toBe(503);
});

describe("with a public URL and no token", () => {
  const publicly = { publicUrl: "https://bot.example.test" };

  test("the API is off, also for what looks like this machine: a proxy on it looks the same", async () => {
    const answer = await createEdge(stubService(publicly))(asked({ headers: { host: "127.0.0.1:8080" } }));
    expect(answer.status).toBe(403);
    expect(answer.body).toContain("the API is off");
    expect(answer.body).toContain("LULL_API_TOKEN");
  });

  test("a caller with the turn token can still answer turns, and do nothing else", async () => {
    const handle = createEdge(stubService({ ...publicly, turnToken: { env: "LULL_TURN_TOKEN" }, secrets }));
    const reply = { ...bearing("only-for-answers", { method: "POST" }), path: "/api/turns/t_1/reply" };
    expect((await handle(reply)).status).toBe(202);
    expect((await handle(bearing("only-for-answers"))).status).toBe(403);
    expect((await handle(asked())).status).toBe(403);
  });

  test("with a token it is on", async () => {
    const handle = createEdge(stubService({ ...publicly, ...withToken }));
    expect((await handle(bearing("s3cret-of-16-and-more"))).status).toBe(200);
  });
});

describe("a token that may only answer turns", () => {
  const handle = createEdge(stubService(withBoth));
  const at = (method: string, path: string) => handle({ ...bearing("only-for-answers", { method }), path });

  test("answers them", async () => {
    expect((await at("POST", "/api/turns/t_1/reply")).status).toBe(202);
  });

  test.each(ROUTES.filter(({ forResponders }) => !forResponders).map(({ method, path }) => [method, path]))(
    "may not %s %s",
    async (method, path) => {
      const answer = await at(method, path.replace("{id}", "c_1"));
      expect([answer.status, answer.body]).toEqual([403, expect.stringContaining("only answer turns")]);
    },
  );

  test("is not told which routes there are", async () => {
    expect((await at("GET", "/api/no-such-route")).status).toBe(403);
    expect((await at("GET", "/api")).status).toBe(403);
  });
});

describe("wrong tokens", () => {
  const statusesOf = (answers: readonly { status: number }[]) => answers.map(({ status }) => status);

  test("are counted, and told once a minute without a word of them", async () => {
    const service = stubService(withToken);
    const handle = createEdge(service);
    const clock = service.clock as FakeClock;
    const tries = Promise.all(
      ["guess-number-one", "guess-number-two", "guess-number-three"].map((guess) => handle(bearing(guess))),
    );
    await clock.advance(200);
    expect(statusesOf(await tries)).toEqual([401, 401, 401]);
    // Also when no other wrong token comes.
    await clock.advance(60_000);
    const fields = { reason: "a wrong token" };
    expect(service.logged).toEqual([
      { event: "api.refused", fields },
      { event: "api.refused", fields },
      { event: "api.refused", fields },
      { event: "api.refusals", fields: { ...fields, more: 2 } },
    ]);
    expect(JSON.stringify(service.logged)).not.toContain("guess");
  });

  test("wait longer and longer, up to two seconds, while the right one does not", async () => {
    const service = stubService(withToken);
    const handle = createEdge(service);
    const clock = service.clock as FakeClock;
    for (let n = 0; n < 30; n += 1) {
      const waitMs = Math.min(n * 100, 2_000);
      let answered = 0;
      const wrong = handle(bearing("guess")).then(() => (answered += 1));
      expect((await handle(bearing("s3cret-of-16-and-more"))).status).toBe(200);
      if (waitMs > 0) {
        await clock.advance(waitMs - 1);
        expect(answered).toBe(0);
        await clock.advance(1);
      }
      await wrong;
    }
  });

  test("wait fifty at a time; more are turned away, and a caller with a right one is not", async () => {
    const service = stubService(withBoth);
    const handle = createEdge(service);
    const clock = service.clock as FakeClock;
    const answered: number[] = [];
    const guesses = Promise.all(
      Array.from({ length: 600 }, async () => answered.push((await handle(bearing("guess"))).status)),
    );
    await clock.advance(0);
    // The first of a minute does not wait.
    expect(Object.groupBy(answered, String)).toMatchObject({ 401: { length: 1 }, 429: { length: 549 } });
    expect((await handle(bearing("s3cret-of-16-and-more"))).status).toBe(200);
    const reply = { ...bearing("only-for-answers", { method: "POST" }), path: "/api/turns/t_1/reply" };
    expect((await handle(reply)).status).toBe(202);
    await clock.advance(2_000);
    await guesses;
    expect(answered.filter((status) => status === 401)).toHaveLength(51);
    expect(new Set(service.logged.map(({ event }) => event))).toEqual(new Set(["api.refused", "api.done"]));
    const later = handle(bearing("guess"));
    await clock.advance(2_000);
    expect((await later).status).toBe(401);
  });
});

describe("a caller that is refused is told of in the log, sampled, by its reason", () => {
  const publicly = { publicUrl: "https://bot.example.test" };
  const turns = { turnToken: { env: "LULL_TURN_TOKEN" }, secrets } as const;

  test.each([
    ["without a token, where there is one", withToken, {}, "no token"],
    ["with another scheme", withToken, { authorization: "Basic s3cret-of-16-and-more" }, "no token"],
    ["while the API is off", publicly, {}, "the API is off"],
    ["with a token, while the API is off", publicly, { authorization: "Bearer x" }, "the API is off"],
    ["without a token, while there is one for turns", { ...publicly, ...turns }, {}, "answers to turns only"],
    ["through a proxy", {}, { via: "1.1 proxy" }, "through a proxy"],
    ["under another name", {}, { host: "evil.example" }, "localhost only"],
    ["from another site's page", {}, { "sec-fetch-site": "cross-site" }, "another page"],
    ["with the token for turns", withBoth, { authorization: "Bearer only-for-answers" }, "a turn token"],
  ])("%s", async (_, options, headers, reason) => {
    const service = stubService(options);
    const handle = createEdge(service);
    for (let n = 0; n < 3; n += 1) expect((await handle(asked({ headers }))).status).toBeOneOf([401, 403]);
    await (service.clock as FakeClock).advance(60_000);
    const fields = { reason: expect.stringContaining(reason) };
    expect(service.logged).toEqual([
      { event: "api.refused", fields },
      { event: "api.refused", fields },
      { event: "api.refused", fields },
      { event: "api.refusals", fields: { ...fields, more: 2 } },
    ]);
  });
});

test("a change is logged, a look is not", async () => {
  const service = stubService(withToken);
  const handle = createEdge(service);
  const act = (method: string, path: string) =>
    handle({ ...bearing("s3cret-of-16-and-more", { method }), path });
  await act("GET", "/api/counts");
  await act("POST", "/api/pause");
  await act("DELETE", "/api/conversations/c_1");
  await act("DELETE", "/api/conversations/no-such-id");
  await act("POST", "/api/dead/d%2F1/retry");
  expect(service.logged).toEqual([
    { event: "api.done", fields: { action: "pauseAll" } },
    { event: "api.done", fields: { action: "eraseConversation", id: "c_1" } },
    { event: "api.done", fields: { action: "retryDeadLetter", id: "d/1" } },
  ]);
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

test("a tenant whose secret does not come keeps no other tenant's caller waiting", async () => {
  const get = (reference: unknown) =>
    (reference as { env: string }).env === "ACME"
      ? new Promise<string>(() => {})
      : Promise.resolve("beta-token-of-some-length");
  const projectTokens = { acme: { api: { env: "ACME" } }, beta: { turn: { env: "BETA" } } };
  const service = stubService({ projectTokens, secrets: { get } });
  const admit = createAccess(service);
  const admitted = { kind: "admitted", caller: "responder", project: "beta" };
  // The first caller waits for one that was never read, which might be the same.
  const first = admit(bearing("beta-token-of-some-length"));
  await (service.clock as FakeClock).advance(1_000);
  expect(await first).toEqual(admitted);
  expect(await admit(bearing("beta-token-of-some-length"))).toEqual(admitted);
});

describe("a token that opens two doors opens neither, whichever is read first", () => {
  const EQUAL = "equal-token-of-some-length";

  async function refusedWith(given: Parameters<typeof stubService>[0], readLater = "") {
    const get = async (reference: unknown) => {
      if ((reference as { env: string }).env === readLater) await new Promise(setImmediate);
      return EQUAL;
    };
    const service = stubService({ ...given, secrets: { get } });
    const admit = createAccess(service);
    const answers = Promise.all([admit(bearing(EQUAL)), admit(bearing(EQUAL))]);
    await (service.clock as FakeClock).advance(500);
    expect((await answers).map(({ kind }) => kind)).toEqual(["refused", "refused"]);
    expect(service.logged).toContainEqual({
      event: "config.failed",
      fields: expect.objectContaining({ reason: expect.stringContaining("is the same as") }),
    });
  }

  test.each(["", "ACME", "BETA"])("that of two tenants, of which this comes later: %s", async (later) => {
    const projectTokens = { acme: { api: { env: "ACME" } }, beta: { api: { env: "BETA" } } };
    await refusedWith({ projectTokens }, later);
  });

  test("that of a tenant and the operator", async () => {
    await refusedWith({ apiToken: { env: "OURS" }, projectTokens: { acme: { api: { env: "ACME" } } } });
  });
});

test("what the store refuses to a project, as it is for all of them, is answered with 403", async () => {
  const projectTokens = { acme: { api: { env: "LULL_API_TOKEN" } } };
  const service = stubService({ projectTokens, secrets });
  const engine = async () => {
    throw new LullError("this is for all projects", { code: "FORBIDDEN", retry: "never" });
  };
  const handle = createEdge({ ...service, forProject: (name) => ({ ...service.forProject(name), engine }) });
  const answer = await handle({ ...bearing("s3cret-of-16-and-more"), path: "/api/locks" });
  expect(answer.status).toBe(403);
});
