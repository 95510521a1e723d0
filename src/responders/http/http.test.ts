import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigError, LullError } from "../../errors.ts";
import { NO_USAGE, type Reply } from "../../model/reply.ts";
import type { Turn } from "../../ports/responder.ts";
import { fakeTurn } from "../../testing/fake-turn.ts";
import { ANSWER_BYTES_MAX } from "./answer.ts";
import { type HttpOptions, http } from "./http.ts";

type Service = (outgoing: ServerResponse, body: string, incoming: IncomingMessage) => void;

let service: Service;
let url: string;
const server = createServer(async (incoming, outgoing) => service(outgoing, await text(incoming), incoming));

beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/turns?token=sesame`;
});
afterEach(stop);

async function stop(): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

function answers(status: number, body = "", headers: Record<string, string> = {}): void {
  service = (outgoing) => outgoing.writeHead(status, headers).end(body);
}

async function ask(turn: Turn = fakeTurn("hi"), options: Partial<HttpOptions> = {}): Promise<Reply> {
  return http({ url, ...options })(turn);
}

async function errorOf(asked: Promise<Reply> = ask()): Promise<LullError> {
  const error = await asked.catch((thrown) => thrown);
  expect(error).toBeInstanceOf(LullError);
  expect(error.message).not.toContain("sesame");
  return error;
}

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };
const TEXT_TYPE = { "content-type": "text/plain; charset=utf-8" };

test("turn, conversation and history are posted as JSON, with the turn's id as idempotency key", async () => {
  const past = [{ role: "user" as const, text: "before", media: [], atMs: 1, turnId: "turn-0" }];
  const turn = fakeTurn(["hi", "open?"], { id: "turn-7", attempt: 2, history: async () => past });
  let posted: { body: unknown; headers: IncomingMessage["headers"] } | undefined;
  service = (outgoing, body, { headers }) => {
    posted = { body: JSON.parse(body), headers };
    outgoing.end("yes");
  };
  expect(await ask(turn)).toBe("yes");
  expect(posted?.headers).toMatchObject({ "idempotency-key": "turn-7", "content-type": "application/json" });
  expect(posted?.headers["x-lull-signature"]).toBeUndefined();
  expect(posted?.body).toEqual({
    turn: { id: "turn-7", attempt: 2, channel: "web", text: "hi\nopen?", messages: turn.messages, media: [] },
    conversation: turn.conversation,
    history: past,
  });
});

test("how much of the past goes along is asked for, and 0 asks for none", async () => {
  const asked: (number | undefined)[] = [];
  const history = async (max?: number) => {
    asked.push(max);
    return [];
  };
  answers(204);
  await ask(fakeTurn("hi", { history }), { historyMessagesMax: 3 });
  await ask(fakeTurn("hi", { history }), { historyMessagesMax: 0 });
  expect(asked).toEqual([3]);
});

test("with a secret the body is signed, and headers may hold secrets too", async () => {
  let proof: unknown[] = [];
  service = (outgoing, body, { headers }) => {
    const expected = createHmac("sha256", "s3cret").update(body).digest("hex");
    proof = [headers["x-lull-signature"] === `sha256=${expected}`, headers.authorization];
    outgoing.end();
  };
  const secrets = { get: async (reference: unknown) => (reference as { name: string }).name };
  const options = { secrets, secret: { name: "s3cret" }, headers: { Authorization: { name: "Bearer t" } } };
  await ask(fakeTurn("héllo ✓"), options);
  expect(proof).toEqual([true, "Bearer t"]);
});

test("a header that cannot be sent is named without its value", async () => {
  const error = await errorOf(ask(fakeTurn("hi"), { headers: { "x-key": "sesame\nx" } }));
  expect(error).toBeInstanceOf(ConfigError);
  expect(error.message).toContain("x-key");
});

test.each(["nonsense", "file:///etc/passwd", "https://ana:sesame@x.example"])(
  "the url %s is refused at start",
  (bad) => {
    expect(() => http({ url: bad })).toThrow(ConfigError);
  },
);

test("plain text is the reply; a bare server may leave out the type", async () => {
  answers(200, "We are open ✓", TEXT_TYPE);
  expect(await ask()).toBe("We are open ✓");
  answers(200, "We are open");
  expect(await ask()).toBe("We are open");
});

test.each([
  [204, "", {}],
  [200, "", {}],
  [200, " \n", TEXT_TYPE],
  [200, "null", JSON_TYPE],
])("%i with %j is no reply", async (status, body, headers) => {
  answers(status, body, headers);
  expect(await ask()).toBeNull();
});

const USAGE = { promptTokens: 5, completionTokens: 2, totalTokens: 7 };
const PHOTO = { url: "https://example.com/1.jpg", contentType: "image/jpeg" };
const REPLIES: [unknown, Reply][] = [
  ["hello", "hello"],
  [
    ["a", "b"],
    ["a", "b"],
  ],
  [{}, {}],
  [{ text: "half an emoji: \ud83d" }, { text: "half an emoji: \ufffd" }],
  [
    { text: "hi", usage: { promptTokens: -1, completion_tokens: 2 ** 70 } },
    { text: "hi", usage: NO_USAGE },
  ],
  [
    { text: "hi", complete: true },
    { text: "hi", complete: true },
  ],
  [{ text: ["a", "b"] }, { text: ["a", "b"] }],
  [{ messages: ["a", "b"] }, { text: ["a", "b"] }],
  [
    { text: "hi", usage: USAGE },
    { text: "hi", usage: USAGE },
  ],
  [{ usage: { prompt_tokens: 5, completion_tokens: 2 } }, { usage: USAGE }],
  [{ handOff: "angry" }, { handOff: "angry" }],
  [{ hand_off: "angry", text: null }, { handOff: "angry" }],
  [{ laterSeconds: 60 }, { laterSeconds: 60 }],
  [{ later_seconds: 60 }, { laterSeconds: 60 }],
  [{ media: [{ url: PHOTO.url, content_type: PHOTO.contentType }] }, { media: [PHOTO] }],
  [{ media: [{ ...PHOTO, name: "1.jpg" }], other: 1 }, { media: [{ ...PHOTO, name: "1.jpg" }] }],
];

test.each(REPLIES)("the JSON %j is the reply %j", async (json, reply) => {
  answers(200, JSON.stringify(json), JSON_TYPE);
  expect(await ask()).toEqual(reply);
});

test.each([
  17,
  { text: 17 },
  { reply: "hi" },
  { messages: "hi" },
  { messages: [1] },
  { text: "first", messages: ["a"] },
  [1],
  { usage: 3 },
  { complete: "yes" },
  { laterSeconds: 0 },
  { laterSeconds: "soon" },
  { media: [{ url: "https://example.com" }] },
  { media: ["https://example.com"] },
])("the JSON %j is for the service's author to look at", async (json) => {
  answers(200, JSON.stringify(json), JSON_TYPE);
  expect(await errorOf()).toMatchObject({ code: "HTTP_BAD_ANSWER", retry: "never" });
});

test.each<[unknown, string]>([
  [[1], "the list[0] must be a string, not number"],
  [{ text: 17 }, "text must be a string or a list of strings, not number"],
  [{ messages: "hi" }, "messages must be a list of strings, not string"],
  [{ text: "first", messages: ["a"] }, "give text or messages, not both"],
  [{ media: [{ url: "https://example.com" }] }, "media[0].contentType is missing"],
  [{ usage: { prompt_tokens: "5" } }, "usage.promptTokens must be a number, not string"],
  [{ complete: "yes" }, "complete must be true or false, not string"],
  [{ later_seconds: 0 }, "laterSeconds must be more than 0"],
])("what is wrong with the JSON %j is said in words: %s", async (json, words) => {
  answers(200, JSON.stringify(json), JSON_TYPE);
  expect(await errorOf()).toMatchObject({ message: `the service's answer: ${words}` });
});

test("broken JSON and web pages come from a proxy in between, and may pass", async () => {
  answers(200, '{"text": "h', JSON_TYPE);
  expect(await errorOf()).toMatchObject({ code: "HTTP_BAD_ANSWER", retry: "later", outage: false });
  answers(200, "<html>", { "content-type": "text/html" });
  expect(await errorOf()).toMatchObject({ code: "HTTP_BAD_ANSWER", retry: "later", outage: false });
});

test.each<[string, Record<string, string>, number]>([
  ["", {}, 300],
  ["accepted", TEXT_TYPE, 300],
  ["", { "retry-after": "7200" }, 7_200],
  ['{"laterSeconds": 90}', { ...JSON_TYPE, "retry-after": "20" }, 90],
  ['{"later_seconds": 90}', JSON_TYPE, 90],
  ['{"status": "queued", "text": 5}', JSON_TYPE, 300],
  ['{"laterSeconds": -1}', JSON_TYPE, 300],
  ["null", JSON_TYPE, 300],
])("202 with %j and %j answers within %i s", async (body, headers, laterSeconds) => {
  answers(202, body, headers);
  expect(await ask()).toEqual({ laterSeconds });
});

test.each([408, 409, 425, 429, 500, 502, 503])("%i is tried again", async (status) => {
  answers(status, "sesame");
  const error = await errorOf();
  expect(error).toMatchObject({
    code: "HTTP_UNAVAILABLE",
    retry: "later",
    outage: true,
    retryAfterMs: undefined,
  });
  expect(error.message).toBe(`${new URL(url).host} answered ${status}`);
});

test.each([301, 307, 400, 401, 403, 404, 410, 413, 422])("%i is not tried again", async (status) => {
  answers(status, "sesame", { location: "/elsewhere" });
  expect(await errorOf()).toMatchObject({ code: "HTTP_REJECTED", retry: "never" });
});

test.each<[Record<string, string>, number | undefined]>([
  [{ "retry-after": "20" }, 20_000],
  [{ "retry-after": "999999" }, 3_600_000],
  [{ "retry-after": "soon" }, undefined],
  [{ date: "Sun, 15 Nov 2026 08:00:00 GMT", "retry-after": "Sun, 15 Nov 2026 08:01:00 GMT" }, 60_000],
])("%j waits for %s ms", async (headers, ms) => {
  answers(503, "", headers);
  expect((await errorOf()).retryAfterMs).toBe(ms);
});

test("an answer of exactly the limit is read, one byte more is not", async () => {
  answers(200, "x".repeat(ANSWER_BYTES_MAX), TEXT_TYPE);
  expect(await ask()).toHaveLength(ANSWER_BYTES_MAX);
  answers(200, "x".repeat(ANSWER_BYTES_MAX + 1), TEXT_TYPE);
  expect(await errorOf()).toMatchObject({ code: "HTTP_BAD_ANSWER", retry: "never" });
});

test("a connection that breaks, or never stands, is tried again", async () => {
  service = (outgoing) => outgoing.destroy();
  expect(await errorOf()).toMatchObject({ code: "HTTP_UNREACHABLE", retry: "later" });
  service = (outgoing) => {
    outgoing.writeHead(200, { ...TEXT_TYPE, "content-length": "100" });
    outgoing.write("half an ans", () => outgoing.destroy());
  };
  expect(await errorOf()).toMatchObject({ code: "HTTP_UNREACHABLE", retry: "later" });
  await stop();
  const error = await errorOf();
  expect(error).toMatchObject({ code: "HTTP_UNREACHABLE", retry: "later" });
  expect(error.message).toContain("ECONNREFUSED");
});

test("an abort ends the request and comes back with its own reason", async () => {
  const arrived = Promise.withResolvers<ServerResponse>();
  service = (outgoing) => arrived.resolve(outgoing);
  const controller = new AbortController();
  const asked = ask(fakeTurn("hi", { signal: controller.signal }));
  const outgoing = await arrived.promise;
  const closed = new Promise((resolve) => outgoing.once("close", resolve));
  const reason = new Error("out of time");
  controller.abort(reason);
  await expect(asked).rejects.toBe(reason);
  await closed;
});
