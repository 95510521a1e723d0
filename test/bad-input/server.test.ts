import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { rawConnection } from "../http/raw-request.ts";
import type { LullProcess } from "../lull-process.ts";
import { API_TOKEN } from "../service/outside.ts";
import { type Surroundings, surroundings } from "../service/surroundings.ts";
import { deepJson } from "./nasty-json.ts";
import { post } from "./raw-post.ts";

const message = (id: string, text = "hi") => JSON.stringify({ id, sender: "visitor-0001", text });

let at: Surroundings;
let service: LullProcess;
let port: number;
let good = 0;

beforeAll(async () => {
  // Messages stay staged, so that they can be counted.
  at = await surroundings({
    LULL_WEB: "1",
    LULL_WINDOW_SECONDS: "600",
    OPENAI_API_KEY: "",
    OPENAI_BASE_URL: "",
  });
  service = await at.start();
  port = Number(new URL(await service.url()).port);
});
afterAll(() => at.end());

/** The server is still up, takes a good message, and has staged only the good ones. */
afterEach(async () => {
  good += 1;
  const { status } = await at.post("/webhooks/web", { body: message(`good-${good}`) });
  expect(status).toBe(200);
  expect(await at.api("/counts")).toMatchObject({ conversations: 1, staged: good, dead: 0 });
  expect(service.child.exitCode).toBe(null);
  expect(service.events.filter(({ level }) => level === "error")).toEqual([]);
});

/** Sends these bytes on a connection of their own, closes its end, and gives back all that came. */
async function said(bytes: string): Promise<string> {
  const raw = await rawConnection(port);
  raw.socket.end(bytes, "latin1");
  return raw.closed();
}

describe("a body whose length is wrong", () => {
  test("a body that is announced too large is refused before it comes", async () => {
    const raw = await rawConnection(port);
    raw.write(post("", "Content-Length: 1000001"));
    const came = await raw.closed();
    expect(came).toMatch(/^HTTP\/1\.1 413 /);
    expect(came).toContain("PAYLOAD_TOO_LARGE");
    expect(await said(post("", "Content-Length: 99999999999999999999999", "/api/conversations"))).toMatch(
      /^HTTP\/1\.1 4\d\d /,
    );
  });

  test("a chunked body is refused where it gets too large", async () => {
    const raw = await rawConnection(port);
    raw.write(post("", "Transfer-Encoding: chunked"));
    const chunk = `186a0\r\n${" ".repeat(100_000)}\r\n`;
    raw.write(chunk);
    expect(await raw.closed()).toMatch(/^HTTP\/1\.1 413 /);
  });

  test.each([
    ["is less than the body", post(message("short"), "Content-Length: 20"), /^HTTP\/1\.1 400 /],
    ["is more than the body", post(message("long"), "Content-Length: 500"), /^(?!.*"ok":true)/s],
    ["is negative", post(message("negative"), "Content-Length: -1"), /^HTTP\/1\.1 400 /],
    ["is no number", post(message("word"), "Content-Length: many"), /^HTTP\/1\.1 400 /],
    ["comes twice", post(message("twice"), "Content-Length: 5\r\nContent-Length: 49"), /^HTTP\/1\.1 400 /],
    [
      "comes with chunks",
      post(message("both"), "Content-Length: 5\r\nTransfer-Encoding: chunked"),
      /^HTTP\/1\.1 400 /,
    ],
    ["is left out", post(message("none"), "X: y"), /^HTTP\/1\.1 400 /],
    [
      "belongs to broken chunks",
      post("zz\r\nhello\r\n0\r\n\r\n", "Transfer-Encoding: chunked"),
      /^(?!.*"ok":true)/s,
    ],
  ])("a length that %s stages nothing", async (_, bytes, answer) => {
    expect(await said(bytes)).toMatch(answer);
  });
});

describe("bytes that are no request, or an odd one", () => {
  test("headers that are too large are refused as such", async () => {
    const long = "x".repeat(20_000);
    expect(await said(`GET /healthz HTTP/1.1\r\nHost: a\r\nX-Long: ${long}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
    expect(await said(`GET /${long} HTTP/1.1\r\nHost: a\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
    const many = Array.from({ length: 5_000 }, (_, n) => `x${n}: y\r\n`).join("");
    expect(await said(`GET /healthz HTTP/1.1\r\nHost: a\r\n${many}\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
  });

  test("requests one after the other are all answered, up to the garbage behind them", async () => {
    const raw = await rawConnection(port);
    const ask = (path: string) => raw.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    for (let n = 1; n <= 9; n += 1) {
      ask("/healthz");
      await raw.until(new RegExp(`("ok".*){${n}}`, "s"));
    }
    ask("/readyz");
    await raw.until(/"ready"/);
    raw.write("\0\xff garbage\r\n\r\n");
    ask("/healthz");
    const came = await raw.closed();
    expect(came.match(/HTTP\/1\.1 \d+/g)?.slice(9)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
  });

  test("garbage behind a request that is being answered takes nothing from its answer", async () => {
    const raw = await rawConnection(port);
    const ask = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    raw.write(`${ask}${ask}\0\xff garbage\r\n\r\n${ask}`);
    expect((await raw.closed()).match(/HTTP\/1\.1 \d+|"ok"/g)).toEqual(["HTTP/1.1 200", '"ok"']);
  });

  test.each([
    ["an old client", "GET /healthz HTTP/1.0\r\n\r\n", /^HTTP\/1\.1 200 .*"status":"ok"/s],
    ["a client older than that", "GET /healthz\r\n\r\n", /^HTTP\/1\.1 (200|400) /],
    ["a newer protocol", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", /^HTTP\/1\.1 (400|404|505) /],
    ["a TLS handshake", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", /^HTTP\/1\.1 400 /],
    ["no host", "GET /healthz HTTP/1.1\r\n\r\n", /^HTTP\/1\.1 400 /],
    [
      "a proxy's request",
      "GET http://example.com/api/counts HTTP/1.1\r\nHost: example.com\r\n\r\n",
      /^HTTP\/1\.1 404 /,
    ],
    ["a tunnel", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n", /^(HTTP\/1\.1 4\d\d |$)/],
    [
      "an upgrade",
      "GET /webhooks/web HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
      /^HTTP\/1\.1 (400|401|426) /,
    ],
    ["great expectations", post(message("x"), "Content-Length: 49\r\nExpect: miracles"), /^HTTP\/1\.1 417 /],
    [
      "a header with a line break in it",
      "GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
      /^HTTP\/1\.1 (200|400) /,
    ],
    ["a name with a space", "GET /healthz HTTP/1.1\r\nHost: a\r\nX Y: a\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["nothing but line breaks", "\r\n".repeat(1_000), /^(HTTP\/1\.1 400 |$)/],
    [
      "a path of any bytes",
      "GET /webhooks/%ff%00%/..%2f?%=&&&=%zz HTTP/1.1\r\nHost: a\r\n\r\n",
      /^HTTP\/1\.1 404 /,
    ],
    ["bytes that no path may have", "GET /\x80\xff HTTP/1.1\r\nHost: a\r\n\r\n", /^HTTP\/1\.1 4\d\d /],
  ])("%s is answered and forgotten", async (_, bytes, answer) => {
    expect(await said(bytes)).toMatch(answer);
  });

  test("two hundred connections that say nothing keep no caller waiting", async () => {
    const idle = await Promise.all(Array.from({ length: 200 }, () => rawConnection(port)));
    for (const [n, raw] of idle.entries())
      if (n % 2 === 0) raw.write("POST /webhooks/web HTTP/1.1\r\nHost: a\r\n");
    const startedAt = performance.now();
    for (let n = 0; n < 20; n += 1) expect((await at.post("/webhooks/web", { body: "{}" })).status).toBe(400);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    for (const raw of idle) raw.socket.destroy();
  });
});

describe("a body that says nothing sound", () => {
  test.each<[string, string | Buffer]>([
    ["no JSON", "hello"],
    ["nothing", ""],
    ["half a message", message("half").slice(0, -3)],
    ["bytes that are no text", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x00, 0xc3, 0x28])],
    ["null bytes", "\0\0\0\0"],
    ["a list", "[]"],
    ["brackets without end", deepJson(45_000)],
    ["objects without end", `${'{"sender":'.repeat(8_000)}1${"}".repeat(8_000)}`],
    ["a time beyond every calendar", '{"id":"h","sender":"visitor-0001","text":"hi","sent_at":1e300}'],
    ["a number beyond all numbers", '{"id":"h","sender":"visitor-0001","text":"hi","sent_at":1e999}'],
    ["numbers for names", '{"id":1e21,"sender":9007199254740993,"text":5}'],
    ["a message in a prototype", `{"__proto__":${message("p")},"constructor":{"prototype":${message("c")}}}`],
    ["a key twice, the second one bad", '{"id":"d","sender":"visitor-0001","text":"hi","text":{}}'],
    ["half a character for a name", '{"id":"d","sender":"\\ud800isitor","text":"hi"}'],
  ])("%s is no message", async (_, body) => {
    const answer = await at.post("/webhooks/web", {
      body: typeof body === "string" ? body : new Uint8Array(body),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ ok: false, code: "INVALID_PAYLOAD" });
  });

  test("damaged text is a message: half an emoji and stray bytes are replaced", async () => {
    const bytes = Buffer.from(
      '{"id":"damaged","sender":"visitor-0001","text":"caf\xe9 \\ud83d\\u0000 ok","text2":1}',
      "latin1",
    );
    const answer = await at.post("/webhooks/web", { body: new Uint8Array(bytes) });
    expect(answer.status).toBe(200);
    good += 1;
    const { conversation_id: id } = (await answer.json()) as { conversation_id: string };
    const { staged } = (await at.api(`/conversations/${id}`)) as { staged: { text: string }[] };
    expect(staged.map(({ text }) => text)).toContain("caf\ufffd \ufffd\0 ok");
  });

  test.each<[string, string]>([
    ["brackets without end", `{"attributes":{"a":${deepJson(300_000)}}`],
    ["brackets where a name should be", `{"sender":${deepJson(300_000)}`],
    ["a window beyond every calendar", '{"window":{"seconds":1e300}'],
    ["a window beyond all numbers", '{"window":{"quiet_seconds":1e999}'],
    ["a prototype", '{"__proto__":{"sender":"x"}'],
    ["half a character for a name", '{"sender_alias":"\\udfff"'],
  ])("the API refuses %s", async (_, body) => {
    const whole = `${body},"channel":"web","address":"web","sender":"visitor-0002"}`.replace(
      /("sender":\[.*),"sender":.*$/s,
      "$1}",
    );
    const answer = await at.post("/api/conversations", {
      body: whole,
      headers: { authorization: `Bearer ${API_TOKEN}` },
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: "INVALID_REQUEST" } });
  });

  test("without Twilio's signature nothing is staged, however the form looks", async () => {
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      "x-twilio-signature": "AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    };
    for (const body of [
      "",
      "%",
      "AccountSid=AC00000000000000000000000000000001&MessageSid=SM1&From=a&To=b",
      "a&".repeat(30_000),
      "\0=\xff",
    ])
      expect((await at.post("/webhooks/whatsapp", { body, headers })).status).toBe(403);
  });
});
