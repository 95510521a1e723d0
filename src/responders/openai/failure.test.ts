import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigError, LullError } from "../../errors.ts";
import { type FakeOpenai, type FakeOpenaiBehaviour, fakeOpenai } from "../../testing/fake-openai.ts";
import type { FakeError } from "../../testing/fake-server.ts";
import { fakeTurn } from "../../testing/fake-turn.ts";
import { retryAfterIn } from "../../wire/retry-after.ts";
import { RESPONSE_BYTES_MAX } from "./call.ts";
import { openai } from "./openai.ts";

const KEY = "sk-secret-key";
const TEXT = "my address is 1 Secret Road";

let fake: FakeOpenai;
beforeEach(async () => {
  fake = fakeOpenai();
  await fake.start();
});
afterEach(() => fake.stop());

async function errorOf(answer: FakeOpenaiBehaviour, attempt = 1): Promise<LullError> {
  fake.behave(() => answer);
  const respond = openai({ apiKey: KEY, baseUrl: fake.url });
  const error = await Promise.resolve(respond(fakeTurn(TEXT, { attempt }))).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(LullError);
  expect(error.message).not.toMatch(/sk-|secret/i);
  return error;
}

const STATUSES: [FakeError, string, "later" | "never"][] = [
  [{ status: 408 }, "OPENAI_UNAVAILABLE", "later"],
  [{ status: 409 }, "OPENAI_UNAVAILABLE", "later"],
  [{ status: 500, code: "server_error" }, "OPENAI_UNAVAILABLE", "later"],
  [{ status: 503 }, "OPENAI_UNAVAILABLE", "later"],
  [{ status: 400, code: "conversation_locked" }, "OPENAI_UNAVAILABLE", "later"],
  [{ status: 429, code: "rate_limit_exceeded", type: "tokens" }, "OPENAI_RATE_LIMITED", "later"],
  [{ status: 429, code: "slow_down" }, "OPENAI_RATE_LIMITED", "later"],
  [{ status: 429 }, "OPENAI_RATE_LIMITED", "later"],
  [{ status: 429, code: "insufficient_quota", type: "insufficient_quota" }, "OPENAI_QUOTA", "never"],
  [{ status: 429, code: "credit_balance_exhausted", type: "insufficient_quota" }, "OPENAI_QUOTA", "never"],
  [{ status: 429, code: "billing_hard_limit_reached" }, "OPENAI_QUOTA", "never"],
  [{ status: 402 }, "OPENAI_QUOTA", "never"],
  [{ status: 401, code: "invalid_api_key" }, "OPENAI_UNAUTHORIZED", "later"],
  [{ status: 403, code: "unsupported_country" }, "OPENAI_UNAUTHORIZED", "never"],
  [{ status: 404, code: "model_not_found" }, "OPENAI_NOT_FOUND", "never"],
  [{ status: 400, code: "context_length_exceeded" }, "OPENAI_REJECTED", "never"],
  [{ status: 422 }, "OPENAI_REJECTED", "never"],
];

test.each(STATUSES)("%o is %s, try again: %s", async (error, code, retry) => {
  const message = `Incorrect API key provided: ${KEY}. You said ${TEXT}`;
  const thrown = await errorOf({ kind: "error", ...error, message });
  expect(thrown).toMatchObject({ code, retry, outage: retry === "later" });
  expect(thrown.message).toContain(`answered ${error.status}`);
  expect(thrown.message).toContain("request req_1");
  if (error.code) expect(thrown.message).toContain(error.code);
});

test("the parameter at fault is named; what is no name is left out", async () => {
  const named = await errorOf({
    kind: "error",
    status: 400,
    type: "invalid_request_error",
    param: "input[0].content",
  });
  expect(named.message).toBe(
    "OpenAI answered 400 (invalid_request_error, parameter input[0].content, request req_1)",
  );
  const odd = await errorOf({ kind: "error", status: 400, code: TEXT, headers: { "x-request-id": "a b" } });
  expect(odd.message).toBe("OpenAI answered 400");
});

test.each([
  [{ "retry-after": "7" }, 7_000],
  [{ "retry-after": "7", "retry-after-ms": "1500" }, 1_500],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "-1" }, undefined],
  [{ "retry-after": "999999" }, 3_600_000],
])("%o waits for %s ms", async (headers, ms) => {
  const error = await errorOf({ kind: "error", status: 429, code: "rate_limit_exceeded", headers });
  expect(error.retryAfterMs).toBe(ms);
});

test("a date is compared with the answer's own date", () => {
  const date = "Sun, 15 Nov 2026 08:00:00 GMT";
  expect(
    retryAfterIn((name) => new Headers({ date, "retry-after": "Sun, 15 Nov 2026 08:00:30 GMT" }).get(name)),
  ).toBe(30_000);
  expect(
    retryAfterIn((name) => new Headers({ "retry-after": "Sun, 15 Nov 2026 08:00:30 GMT" }).get(name)),
  ).toBeUndefined();
});

test("an error that never heals has no time to wait for", async () => {
  const error = await errorOf({
    kind: "error",
    status: 429,
    code: "insufficient_quota",
    headers: { "retry-after": "7" },
  });
  expect(error.retryAfterMs).toBeUndefined();
});

test.each([
  ["server_error", "later"],
  ["rate_limit_exceeded", "later"],
  ["invalid_prompt", "never"],
  ["misalignment_policy_violation", "never"],
])("a 200 that failed with %s: try again %s", async (code, retry) => {
  const error = await errorOf({
    kind: "answer",
    response: { status: "failed", error: { code, message: TEXT } },
  });
  expect(error).toMatchObject({ code: "OPENAI_FAILED", retry });
  expect(error.message).toContain(code);
});

test.each(["in_progress", "queued", "cancelled"])("a 200 that is %s is no answer yet", async (status) => {
  expect(await errorOf({ kind: "answer", response: { status } })).toMatchObject({
    code: "OPENAI_UNAVAILABLE",
    retry: "later",
    outage: false,
  });
});

test.each(["<html>Bad gateway</html>", "", '{"output":[', "17"])(
  "a body that is no JSON object, %j, passes; whether it is an outage its status tells",
  async (raw) => {
    for (const status of [200, 404, 429, 502]) {
      const outage = status === 429 || status === 502;
      expect(await errorOf({ kind: "status", body: raw, status })).toMatchObject({
        code: "OPENAI_UNAVAILABLE",
        retry: "later",
        outage,
      });
    }
  },
);

test("another server's JSON may pass too", async () => {
  expect(await errorOf({ kind: "status", status: 200, body: '{"hello":"world"}' })).toMatchObject({
    code: "OPENAI_UNAVAILABLE",
    retry: "later",
  });
});

test("an answer without end is given up, one of exactly the limit is read", async () => {
  const atLimit = await errorOf({ kind: "status", status: 200, body: " ".repeat(RESPONSE_BYTES_MAX) });
  expect(atLimit.message).toContain("without JSON");
  const body = " ".repeat(RESPONSE_BYTES_MAX + 1);
  const error = await errorOf({ kind: "status", status: 200, body });
  expect(error).toMatchObject({ code: "OPENAI_UNAVAILABLE", retry: "later" });
  expect(error.message).toContain("without end");
});

test("a redirect is not followed: the address is wrong", async () => {
  const error = await errorOf({
    kind: "status",
    body: "",
    status: 307,
    headers: { location: `${fake.url}/elsewhere` },
  });
  expect(error).toMatchObject({ code: "OPENAI_REJECTED", retry: "never" });
  expect(error.message).toContain("307");
});

test("a connection that breaks, or never stands, passes", async () => {
  const broken = await errorOf({ kind: "drop" });
  expect(broken).toMatchObject({ code: "OPENAI_UNREACHABLE", retry: "later" });
  await fake.stop();
  const refused = await errorOf("never sent");
  expect(refused).toMatchObject({ code: "OPENAI_UNREACHABLE", retry: "later" });
  expect(refused.message).toContain("ECONNREFUSED");
  await fake.start();
});

test.each(["content_filter", "max_output_tokens"])(
  "cut off by %s before any text: a person should look",
  async (reason) => {
    const error = await errorOf({
      kind: "answer",
      response: { status: "incomplete", incomplete_details: { reason } },
    });
    expect(error).toMatchObject({ code: "OPENAI_EMPTY", retry: "never" });
    expect(error.message).toContain(reason);
  },
);

test("a finished answer without text is asked for once more, not for ever", async () => {
  expect(await errorOf("  ", 1)).toMatchObject({ code: "OPENAI_EMPTY", retry: "later", outage: false });
  expect(await errorOf("  ", 7)).toMatchObject({ code: "OPENAI_EMPTY", retry: "later", outage: false });
});

test("an abort reaches OpenAI and comes back with its own reason", async () => {
  fake.behave(() => ({ kind: "hang" }));
  const controller = new AbortController();
  const asked = openai({ apiKey: KEY, baseUrl: fake.url })(fakeTurn(TEXT, { signal: controller.signal }));
  const { over } = await fake.whenAsked(1);
  const reason = new Error("out of time");
  controller.abort(reason);
  await expect(asked).rejects.toBe(reason);
  await over;
});

test("a turn that is aborted already asks no model", async () => {
  const signal = AbortSignal.abort(new Error("lease lost"));
  await expect(openai({ apiKey: KEY, baseUrl: fake.url })(fakeTurn(TEXT, { signal }))).rejects.toThrow(
    "lease lost",
  );
  expect(fake.asked).toHaveLength(0);
});

test("a key that cannot be sent is refused without showing it", async () => {
  const asked = Promise.resolve(openai({ apiKey: `${KEY}\nx`, baseUrl: fake.url })(fakeTurn(TEXT)));
  const error = await asked.catch((thrown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  expect(error.message).not.toContain(KEY);
});

test("a missing key names its variable", async () => {
  const asked = openai({ apiKey: { env: "LULL_TEST_NO_SUCH_KEY" }, baseUrl: fake.url })(fakeTurn(TEXT));
  await expect(asked).rejects.toThrow("LULL_TEST_NO_SUCH_KEY is not set");
});
