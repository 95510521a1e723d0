import fc from "fast-check";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { memory } from "../../src/engines/memory/index.ts";
import { type LambdaHandlers, lambdaHandlers } from "../../src/lambda/index.ts";
import httpApi from "../../src/lambda/payloads/http-api.json" with { type: "json" };
import loadBalancer from "../../src/lambda/payloads/load-balancer.json" with { type: "json" };
import restApi from "../../src/lambda/payloads/rest-api.json" with { type: "json" };
import type { LogFields } from "../../src/model/log.ts";
import { echo } from "../../src/responders/echo/index.ts";
import { hold } from "./hold.ts";
import { nastyJson, nastyObject, nastyText } from "./nasty-json.ts";
import { PUBLIC_URL, SENDERS } from "./senders.ts";

// What is counted would be written between the results.
beforeAll(() => void vi.stubEnv("POWERTOOLS_METRICS_DISABLED", "true"));

const context = { getRemainingTimeInMillis: () => 30_000 };

function functions(): { handlers: LambdaHandlers; errors: LogFields[] } {
  const errors: LogFields[] = [];
  const handlers = lambdaHandlers({
    engine: memory(),
    channels: Object.fromEntries(SENDERS.map(({ name, channel }) => [name, channel()])),
    respond: echo(),
    publicUrl: PUBLIC_URL,
    log: (level, event, fields) => {
      if (level === "error") errors.push({ event, ...fields });
    },
  });
  return { handlers, errors };
}

const path = fc.oneof(
  fc.constantFrom("/", "/healthz", "/readyz", "/api/counts", "/api/conversations/x", "", "//", "/prod"),
  fc.constantFrom(...SENDERS.map(({ name }) => `/webhooks/${name}`)),
  nastyText,
);
const method = fc.constantFrom("GET", "POST", "HEAD", "DELETE", "OPTIONS", "post", "");
const headers = fc.dictionary(
  fc.oneof(
    fc.constantFrom("host", "Content-Type", "X-Forwarded-Proto", "authorization", "cookie"),
    nastyText,
  ),
  fc.oneof(nastyText, fc.constantFrom("application/json", "Bearer x")),
);
const lists = fc.dictionary(nastyText, fc.array(nastyText, { maxLength: 3 }));
const body = fc.oneof(
  nastyText,
  nastyJson,
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("base64")),
);

/** Most fields as they should be, some anything, some missing. */
const version2 = nastyObject({
  version: fc.constant("2.0"),
  rawPath: path,
  rawQueryString: nastyText,
  headers,
  cookies: fc.array(nastyText, { maxLength: 2 }),
  requestContext: fc.record(
    {
      stage: fc.constantFrom("$default", "prod", ""),
      domainName: nastyText,
      http: fc.record({ method, path, sourceIp: nastyText }, { requiredKeys: [] }),
    },
    { requiredKeys: ["http"] },
  ),
  body,
  isBase64Encoded: fc.boolean(),
});
const version1 = nastyObject({
  httpMethod: method,
  path,
  headers,
  multiValueHeaders: lists,
  queryStringParameters: headers,
  multiValueQueryStringParameters: lists,
  requestContext: fc.record(
    {
      stage: fc.constantFrom("prod", "webhooks"),
      path,
      identity: fc.record({ sourceIp: nastyText }),
      elb: fc.constant({}),
    },
    { requiredKeys: [] },
  ),
  body,
  isBase64Encoded: fc.boolean(),
});
/** Realistic ones with one thing replaced. */
const bent = fc
  .tuple(fc.constantFrom<object>(httpApi, restApi, loadBalancer), fc.nat(), nastyJson)
  .map(([event, at, value]) => {
    const keys = Object.keys(event);
    return JSON.stringify({ ...event, [keys[at % keys.length]!]: JSON.parse(value) as unknown });
  });

describe("the webhook function", () => {
  test("answers whatever event it is given, and never says that the fault is ours", () =>
    hold(
      fc.asyncProperty(fc.oneof(version2, version1, bent, nastyJson), async (text) => {
        const { handlers, errors } = functions();
        const response = await handlers.webhook(JSON.parse(text), context);
        expect(response.statusCode).toBeGreaterThanOrEqual(200);
        expect(response.statusCode).toBeLessThan(500);
        expect(typeof response.body).toBe("string");
        expect(response.isBase64Encoded).toBe(false);
        for (const value of Object.values(response.headers)) expect(value).not.toMatch(/[\r\n]/);
        expect(errors).toEqual([]);
      }),
      { share: 3 },
    ));

  test("answers what is no JSON either", async () => {
    const { handlers, errors } = functions();
    for (const odd of [undefined, null, 7, "text", [], new Map(), Symbol.iterator, () => {}])
      expect(await handlers.webhook(odd, context)).toMatchObject({ statusCode: 400 });
    expect(errors).toEqual([]);
  });
});

describe("the worker function", () => {
  test("reports what cannot be read, and nothing else", () =>
    hold(
      fc.asyncProperty(fc.array(fc.oneof(nastyText, nastyJson), { maxLength: 10 }), async (bodies) => {
        const { handlers } = functions();
        const Records = bodies.map((text, at) => ({ messageId: `m${at}`, receiptHandle: "h", body: text }));
        const { batchItemFailures } = await handlers.worker({ Records }, context);
        const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
        expect(failed).toEqual(
          Records.filter(({ body: text }) => !isReadable(text)).map(({ messageId }) => messageId),
        );
      }),
    ));
});

function isReadable(text: string): boolean {
  try {
    const { conversation_id } = JSON.parse(text) as { conversation_id?: unknown };
    return typeof conversation_id === "string" && conversation_id !== "";
  } catch {
    return false;
  }
}
