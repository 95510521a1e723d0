import { once } from "node:events";
import { createServer, type Server } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerFrom } from "../../src/core/reply.ts";
import { LullError } from "../../src/errors.ts";
import type { Responder } from "../../src/ports/responder.ts";
import { http } from "../../src/responders/http/index.ts";
import { openai } from "../../src/responders/openai/index.ts";
import { fakeTurn } from "../../src/testing/fake-turn.ts";
import { hold } from "./hold.ts";
import { legible } from "./mutated.ts";
import { deepJson, nastyJson, nastyObject, nastyText } from "./nasty-json.ts";

/** Answers every request with the same bytes, whatever they are, and hangs up. */
let server: Server;
let bytes: Buffer;
let url: string;
beforeAll(async () => {
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(bytes));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}/v1`;
});
afterAll(() => server.close());

const RESPONDERS: readonly (readonly [string, () => Responder])[] = [
  ["http", () => http({ url })],
  ["openai", () => openai({ baseUrl: url, apiKey: "test-key", tools: { look: TOOL } })],
];
const TOOL = { description: "looks", parameters: {}, run: () => "found" };

const tokens = fc.oneof(fc.nat(99), fc.constantFrom(-1, 1e300, 0.5));
const media = fc.record({ url: fc.webUrl(), contentType: fc.constant("image/png") });
const reply = nastyObject({
  text: nastyText,
  messages: fc.array(nastyText, { maxLength: 3 }),
  media: fc.array(media, { maxLength: 2 }),
  usage: fc.record(
    { prompt_tokens: tokens, completion_tokens: tokens, total_tokens: tokens },
    { requiredKeys: [] },
  ),
  complete: fc.boolean(),
  hand_off: nastyText,
  later_seconds: fc.oneof(fc.nat(600), fc.constantFrom(-1, 1e300)),
});
const part = fc.oneof(
  fc.record({ type: fc.constant("output_text"), text: nastyText }),
  fc.record({ type: fc.constant("refusal"), refusal: nastyText }),
);
const item = fc.oneof(
  fc.record({
    type: fc.constant("message"),
    phase: fc.constantFrom("commentary", "final"),
    content: fc.array(part),
  }),
  fc.record({
    type: fc.constant("function_call"),
    name: fc.constantFrom("look", "constructor", "__proto__"),
    call_id: fc.uuid(),
    arguments: nastyJson,
  }),
);
const response = nastyObject({
  status: fc.constantFrom("completed", "incomplete", "failed", "queued"),
  output: fc.array(fc.oneof(item, item, nastyJson), { maxLength: 4 }),
  usage: fc.record(
    { input_tokens: tokens, output_tokens: tokens, total_tokens: tokens },
    { requiredKeys: [] },
  ),
  error: fc.record({ code: nastyText, message: nastyText }),
  incomplete_details: fc.record({ reason: nastyText }),
});
const body = fc.oneof(
  { weight: 4, arbitrary: reply },
  { weight: 4, arbitrary: response },
  { weight: 2, arbitrary: nastyJson },
  { weight: 1, arbitrary: nastyText },
  { weight: 1, arbitrary: fc.constant(deepJson(50_000)) },
);
const status = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(200, 202) },
  { weight: 1, arbitrary: fc.integer({ min: 200, max: 599 }) },
);
const headerValue = fc.oneof(nastyText, fc.constantFrom("1", "1e999", "-1", "99999999999999999", "0.5"));
const headers = fc
  .record(
    {
      "content-type": fc.oneof(
        fc.constantFrom("application/json", "text/plain", "text/html", "a/b+json"),
        nastyText,
      ),
      "retry-after": headerValue,
      "retry-after-ms": headerValue,
      "x-request-id": nastyText,
      date: fc.constantFrom("Sun, 15 Nov 2026 05:00:00 GMT", "x"),
    },
    { requiredKeys: ["content-type"] },
  )
  .map((given) => Object.entries(given).map(([name, value]) => `${name}: ${printable(String(value))}\r\n`));

function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "?");
}

/** Well-formed HTTP around a strange body. */
const answer = fc.tuple(status, headers, body).map(([code, lines, text]) => {
  const content = Buffer.from(text);
  const head =
    `HTTP/1.1 ${code} X\r\n${lines.join("")}` +
    `content-length: ${content.length}\r\nconnection: close\r\n\r\n`;
  return legible(Buffer.concat([Buffer.from(head), content]));
});

/** The same, damaged on the way; and no HTTP at all. */
const noise = fc.oneof(
  fc.tuple(answer, fc.nat(400)).map(([whole, at]) => legible(Buffer.from(whole.subarray(0, at)))),
  fc
    .tuple(answer, fc.nat(400), fc.uint8Array({ maxLength: 5 }))
    .map(([whole, at, more]) => legible(Buffer.concat([whole.subarray(0, at), more, whole.subarray(at)]))),
  fc.uint8Array({ maxLength: 200 }).map((each) => legible(Buffer.from(each))),
);

async function outcome(responder: Responder): Promise<unknown> {
  try {
    return answerFrom(await responder(fakeTurn("hi")));
  } catch (error) {
    return error;
  }
}

function expectSound(result: unknown): void {
  if (result instanceof Error) {
    expect(result).toBeInstanceOf(LullError);
    const { retry, retryAfterMs = 0, message } = result as LullError;
    expect(["later", "never"]).toContain(retry);
    expect(retryAfterMs).toBeGreaterThanOrEqual(0);
    expect(retryAfterMs).toBeLessThanOrEqual(3_600_000);
    // Short, and in our own words: an answer may quote the customer, and the log keeps what an error says.
    expect(message.length).toBeLessThan(300);
    return;
  }
  const said = result as ReturnType<typeof answerFrom>;
  if (said.kind === "later") {
    expect(said.afterMs).toBeGreaterThan(0);
    expect(said.afterMs).toBeLessThan(1e9);
    return;
  }
  for (const text of said.texts) expect(text.trim()).not.toBe("");
  for (const each of said.media)
    expect([typeof each.url, typeof each.contentType]).toEqual(["string", "string"]);
  for (const count of Object.values(said.usage ?? {})) {
    expect(count).toBeGreaterThanOrEqual(0);
    expect(count).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
  }
}

describe.each(RESPONDERS)("%s", (_, make) => {
  test("reads every answer as a reply or as an error that says whether to ask again", () =>
    hold(
      fc.asyncProperty(answer, async (given) => {
        bytes = given;
        const result = await outcome(make());
        expectSound(result);
        expect(await outcome(make())).toEqual(result);
      }),
    ));

  test("takes what is hardly HTTP for an error that may pass", () =>
    hold(
      fc.asyncProperty(noise, async (given) => {
        bytes = given;
        expectSound(await outcome(make()));
      }),
    ));
});
