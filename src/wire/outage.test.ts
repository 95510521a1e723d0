import { once } from "node:events";
import { createServer, get as httpGet, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, describe, expect, it, test } from "vitest";
import { RETRY_AFTER_MS_MAX } from "../core/defaults.ts";
import { ConfigError, LullError, StoreUnavailable } from "../index.ts";
import { outageOf } from "./outage.ts";

const NOW = Date.parse("Sun, 15 Nov 2026 08:00:00 GMT");
const OUTAGE = {};

const servers: ReturnType<typeof createServer>[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }
});

async function listen(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function refusedUrl(): Promise<string> {
  const url = await listen(() => {});
  const server = servers.pop();
  await new Promise((resolve) => server?.close(resolve));
  return url;
}

async function thrown(work: () => Promise<unknown>): Promise<unknown> {
  return work().then(
    () => expect.unreachable("it did not fail"),
    (error) => error,
  );
}

const cutsOff: RequestListener = (_, answer) => {
  answer.writeHead(200, { "content-length": "100" });
  answer.write("half an ans", () => answer.destroy());
};

describe("what a library really throws is an outage:", () => {
  it("fetch to a port where no server listens", async () => {
    const url = await refusedUrl();
    const error = await thrown(() => fetch(url));
    expect(error).toBeInstanceOf(TypeError);
    expect(outageOf(error, NOW)).toEqual(OUTAGE);
  });

  it("fetch when the other side hangs up, before its answer and in the middle of it", async () => {
    const before = await listen((request) => request.socket.destroy());
    expect(outageOf(await thrown(() => fetch(before)), NOW)).toEqual(OUTAGE);
    const within = await listen(cutsOff);
    const error = await thrown(async () => (await fetch(within)).text());
    expect(outageOf(error, NOW)).toEqual(OUTAGE);
  });

  it("fetch that its own deadline ended, or that its caller gave up", async () => {
    const silent = await listen(() => {});
    const late = await thrown(() => fetch(silent, { signal: AbortSignal.timeout(1) }));
    expect((late as Error).name).toBe("TimeoutError");
    expect(outageOf(late, NOW)).toEqual(OUTAGE);
    const aborted = await thrown(() => fetch(silent, { signal: AbortSignal.abort() }));
    expect((aborted as Error).name).toBe("AbortError");
    expect(outageOf(aborted, NOW)).toEqual(OUTAGE);
  });

  it("fetch of a name that no resolver knows", async () => {
    const error = await thrown(() => fetch("http://missing.invalid/"));
    expect(outageOf(error, NOW)).toEqual(OUTAGE);
  });

  it("node:http, refused, cut off and timed out", async () => {
    const get = (url: string, options = {}) =>
      thrown(async () => {
        const [response] = await once(httpGet(url, options), "response");
        for await (const _ of response);
      });
    expect(outageOf(await get(await refusedUrl()), NOW)).toEqual(OUTAGE);
    expect(outageOf(await get(await listen((request) => request.socket.destroy())), NOW)).toEqual(OUTAGE);
    expect(outageOf(await get(await listen(cutsOff)), NOW)).toEqual(OUTAGE);
    const signal = AbortSignal.timeout(1);
    expect(outageOf(await get(await listen(() => {}), { signal }), NOW)).toEqual(OUTAGE);
  });

  it("a client of AWS, whose error comes with a status, a name, or no answer at all", async () => {
    const told = (status: number, type: string) =>
      listen((request, answer) => {
        request.resume();
        answer.writeHead(status, { "content-type": "application/x-amz-json-1.0", "retry-after": "3" });
        answer.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: "no" }));
      });
    const errorAt = async (endpoint: string) => {
      const credentials = { accessKeyId: "local", secretAccessKey: "local" };
      const client = new DynamoDBClient({ endpoint, credentials, region: "eu-west-1", maxAttempts: 1 });
      return outageOf(await thrown(() => client.send(new ListTablesCommand())), NOW);
    };
    expect(await errorAt(await told(500, "InternalServerError"))).toEqual({ retryAfterMs: 3_000 });
    expect(await errorAt(await told(429, "Anything"))).toEqual({ retryAfterMs: 3_000 });
    expect(await errorAt(await told(400, "ThrottlingException"))).toEqual({ retryAfterMs: 3_000 });
    expect(await errorAt(await told(400, "ProvisionedThroughputExceededException"))).toEqual({
      retryAfterMs: 3_000,
    });
    expect(await errorAt(await refusedUrl())).toEqual(OUTAGE);
    expect(await errorAt(await listen((request) => request.socket.destroy()))).toEqual(OUTAGE);
    expect(await errorAt(await told(400, "ValidationException"))).toBeUndefined();
    expect(await errorAt(await told(400, "AccessDeniedException"))).toBeUndefined();
  });
});

class APIConnectionTimeoutError extends Error {}

test.each<[string, unknown]>([
  ["an SDK's error with a status", Object.assign(new Error("rate limit"), { status: 429 })],
  ["a status in words of digits", { statusCode: "503" }],
  ["axios", Object.assign(new Error("no"), { response: { status: 502, headers: {} } })],
  ["a thrown Response", new Response("no", { status: 500 })],
  [
    "an error that holds the Response",
    Object.assign(new Error(), { response: new Response("", { status: 408 }) }),
  ],
  ["a client of Google", { code: 503, message: "backend" }],
  ["a code beside a number that is no status", { status: 600, code: "EPIPE" }],
  ["an errno in place of a code", { errno: "ETIMEDOUT" }],
  ["a class that names what happened", new APIConnectionTimeoutError("Request timed out.")],
  ["a name that does", { name: "ServiceUnavailableException" }],
  ["a retryable one of AWS", { name: "Odd", $retryable: {}, $metadata: { httpStatusCode: 400 } }],
  ["an expired certificate", { code: "CERT_HAS_EXPIRED" }],
  ["gRPC without a server", { code: 14, details: "No connection established", metadata: {} }],
  ["gRPC past its deadline", { code: 4, details: "Deadline exceeded" }],
  ["gRPC that has had enough", { code: 8, details: "quota" }],
  ["Firebase", { code: "functions/unavailable", message: "try later" }],
  ["Connect", { code: "deadline_exceeded" }],
  ["node-fetch past its timeout", { name: "FetchError", type: "request-timeout" }],
  ["node-fetch past it in the body", { name: "FetchError", type: "body-timeout" }],
  ["Prisma without a database", { name: "PrismaClientInitializationError", code: "P1001" }],
  ["PostgreSQL that is starting", { name: "error", severity: "FATAL", code: "57P03" }],
  ["PostgreSQL with no connection free", { code: "53300" }],
  ["MySQL that hung up", { code: "PROTOCOL_CONNECTION_LOST", fatal: true }],
  ["Redis that was tried often enough", { name: "MaxRetriesPerRequestError" }],
  ["something else than HTTP at the other end", { code: "HPE_INVALID_CONSTANT" }],
  ["the same, told by fetch", new TypeError("fetch failed", { cause: { name: "HTTPParserError" } })],
  ["something else than TLS", { code: "ERR_SSL_WRONG_VERSION_NUMBER" }],
  ["gRPC's own words", { code: "UNAVAILABLE" }],
  ["Google's words in place of a number", { status: "RESOURCE_EXHAUSTED" }],
  ["a lock that another process holds", { code: "SQLITE_BUSY" }],
  ["no file left to open", { code: "EMFILE" }],
  ["MongoDB without a server", { name: "MongoServerSelectionError" }],
  ["a wrapped error", new Error("sorry", { cause: new Error("oh", { cause: { code: "EPIPE" } }) })],
  ["the first of many", new AggregateError([{ status: 500 }, new TypeError("a bug")])],
  ["the second of many", new AggregateError([new TypeError("a bug"), { status: 500 }])],
  ["the last of many", new AggregateError([new TypeError("a bug"), { status: 400 }, { status: 500 }])],
  ["our own word for later", new LullError("loading", { code: "MODEL_LOADING", retry: "later" })],
  ["a store that is away", new StoreUnavailable("the disk is full")],
  ["our own word, thrown by another copy of us", { name: "LullError", code: "X", retry: "later" }],
])("%s is an outage", (_, error) => {
  expect(outageOf(error, NOW)).toEqual(OUTAGE);
});

test.each<[string, unknown]>([
  ["an error that cannot be classified", new Error("no")],
  ["a bug", new TypeError("undefined is not a function")],
  ["broken JSON", thrownBy(() => JSON.parse("{"))],
  ["a request that is wrong", { status: 400 }],
  ["a key that is wrong", Object.assign(new Error("no"), { status: 401, cause: { code: "ECONNRESET" } })],
  ["a status that is no error", { status: 200 }],
  ["a number that is no status", { code: 1_062, errno: 1_062 }],
  ["a status beyond all numbers", { status: 600 }],
  ["a configuration that is wrong", new ConfigError("no key", { code: "ECONNREFUSED" })],
  ["a wrapped error", new Error("sorry", { cause: new ConfigError("no key") })],
  ["an answer that cannot be used", new LullError("no text", { code: "E", retry: "later", outage: false })],
  ["failures without an outage among them", new AggregateError([new Error("no"), { status: 404 }])],
  ["a limit that the message is over", { name: "TokenLimitExceededException" }],
  ["a missing file", { code: "ENOENT", syscall: "open" }],
  ["a small number without a meaning", { code: 14 }],
  ["gRPC about the request itself", { code: 3, details: "invalid argument" }],
  ["a row that is there already", { code: "23505", severity: "ERROR" }],
  ["Firebase about the request itself", { code: "functions/invalid-argument" }],
  ["a record that Prisma does not find", { code: "P2025" }],
  ["a type that says nothing", { type: "invalid-json", code: 7 }],
  ["words", "ECONNREFUSED"],
  ["null", null],
  ["nothing", undefined],
  ["a number", 503],
])("%s is none", (_, error) => {
  expect(outageOf(error, NOW)).toBeUndefined();
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test.each<[unknown, number | undefined]>([
  [{ status: 429, headers: new Headers({ "retry-after": "7" }) }, 7_000],
  [{ status: 429, headers: { "Retry-After": "7" } }, 7_000],
  [{ status: 429, headers: { "retry-after": 7 } }, 7_000],
  [{ status: 429, headers: { "retry-after": "7", "retry-after-ms": "250" } }, 250],
  [{ status: 503, responseHeaders: { "retry-after": "7" } }, 7_000],
  [{ response: { status: 503, headers: new Headers({ "retry-after": "7" }) } }, 7_000],
  [{ $metadata: { httpStatusCode: 503 }, $response: { headers: { "retry-after": "7" } } }, 7_000],
  [{ status: 503, headers: { "retry-after": "Sun, 15 Nov 2026 08:00:30 GMT" } }, 30_000],
  [
    {
      status: 503,
      headers: { date: "Sun, 15 Nov 2026 07:00:00 GMT", "retry-after": "Sun, 15 Nov 2026 07:00:05 GMT" },
    },
    5_000,
  ],
  [{ status: 429, headers: { "retry-after-ms": "1000000" } }, 1_000_000],
  [{ status: 429, retryAfterMs: 0 }, 0],
  [{ status: 429, retryAfter: 2 }, 2_000],
  [{ status: 429, retryAfter: "2" }, 2_000],
  [{ status: 429, headers: { "retry-after": "999999" } }, 3_600_000],
  [{ status: 429, headers: { "retry-after": "soon" } }, undefined],
  [{ status: 429, headers: { "retry-after": "-1" } }, undefined],
  [{ status: 429, retryAfterMs: Number.NaN }, undefined],
  [{ status: 429, retryAfterMs: -1 }, undefined],
  [{ status: 429, retryAfterMs: Number.POSITIVE_INFINITY }, RETRY_AFTER_MS_MAX],
  [new LullError("loading", { code: "E", retry: "later", retryAfterMs: 20_000 }), 20_000],
  [new Error("sorry", { cause: { status: 429, retryAfterMs: 5 } }), 5],
])("%o is left alone for %s ms", (error, ms) => {
  expect(outageOf(error, NOW)).toEqual(ms === undefined ? {} : { retryAfterMs: ms });
});

describe("whatever is thrown, the question is answered:", () => {
  const bites = () => {
    throw new Error("do not look");
  };
  const hostile = new Proxy({}, { get: bites, has: bites, ownKeys: bites, getPrototypeOf: bites });

  it("getters and proxies that throw say nothing", () => {
    expect(outageOf(hostile, NOW)).toBeUndefined();
    expect(outageOf(Object.defineProperty({ code: "EPIPE" }, "status", { get: bites }), NOW)).toEqual(OUTAGE);
    expect(outageOf({ status: 503, headers: hostile, response: hostile }, NOW)).toEqual(OUTAGE);
    expect(outageOf({ status: 503, headers: { get: bites } }, NOW)).toEqual(OUTAGE);
    expect(outageOf({ cause: hostile, errors: hostile }, NOW)).toBeUndefined();
  });

  it("a chain of causes is looked into, 64 errors deep", () => {
    const chain = (wraps: number): object => (wraps === 0 ? { code: "EPIPE" } : { cause: chain(wraps - 1) });
    expect(outageOf(chain(63), NOW)).toEqual(OUTAGE);
    expect(outageOf(chain(64), NOW)).toBeUndefined();
  });

  it("circles and endless chains come to an end", () => {
    const circle: { cause?: unknown; errors?: unknown[] } = {};
    circle.cause = circle;
    circle.errors = [circle, circle];
    expect(outageOf(circle, NOW)).toBeUndefined();
    const endless: object = new Proxy(
      {},
      { get: (_, key) => (key === "length" ? 1e9 : /^(cause|errors|\d+)$/.test(String(key)) && endless) },
    );
    expect(outageOf(endless, NOW)).toBeUndefined();
    expect(outageOf({ errors: { length: Number.POSITIVE_INFINITY } }, NOW)).toBeUndefined();
    expect(outageOf(new Array(1e6), NOW)).toBeUndefined();
  });
});
