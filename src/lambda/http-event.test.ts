import { describe, expect, test } from "vitest";
import { createUrl } from "../http/public-url.ts";
import { requestFrom, responseFrom } from "./http-event.ts";
import httpApi from "./payloads/http-api.json" with { type: "json" };
import loadBalancer from "./payloads/load-balancer.json" with { type: "json" };
import restApi from "./payloads/rest-api.json" with { type: "json" };

type Json = Readonly<Record<string, unknown>>;

function request(event: unknown, publicUrl?: string) {
  const made = requestFrom(event, publicUrl);
  if (!made) throw new Error("no request");
  return made;
}

async function bodyOf(event: unknown, bytesMax = 1_000): Promise<string> {
  return String(await request(event).body(bytesMax));
}

/** What a channel is told that the provider called, and signed. */
function urlOf(event: unknown, publicUrl?: string): string {
  return createUrl(publicUrl)(request(event, publicUrl));
}

function httpApiAt(stage: string, rawPath: string, context: Json = {}): unknown {
  const http = { ...httpApi.requestContext.http, path: rawPath };
  return {
    ...httpApi,
    rawPath,
    rawQueryString: "",
    requestContext: { ...httpApi.requestContext, stage, http, ...context },
  };
}

describe("an event of an HTTP API", () => {
  test("is a request with everything that was sent", async () => {
    const made = request(httpApi);
    expect(made).toMatchObject({
      method: "POST",
      path: "/webhooks/whatsapp",
      search: "?a=1&a=2&name=%C3%A9%20b",
      remoteAddress: "192.0.2.44",
    });
    expect(made.query.getAll("a")).toEqual(["1", "2"]);
    expect(made.headers).toMatchObject({ "x-twilio-signature": "c2lnbmF0dXJl", cookie: "one=1; two=2" });
    expect(await bodyOf(httpApi)).toBe("From=%2B15550100&Body=hi&MediaUrl0=");
  });

  test("tells the URL that was signed", () => {
    expect(urlOf(httpApi)).toBe(
      "https://a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com/webhooks/whatsapp?a=1&a=2&name=%C3%A9%20b",
    );
    expect(urlOf(httpApi, "https://bot.example.com/")).toBe(
      "https://bot.example.com/webhooks/whatsapp?a=1&a=2&name=%C3%A9%20b",
    );
  });

  test("under a named stage has it in its path, and in the URL that was signed", () => {
    const event = httpApiAt("prod", "/prod/webhooks/whatsapp");
    expect(request(event).path).toBe("/webhooks/whatsapp");
    expect(urlOf(event)).toBe(
      "https://a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com/prod/webhooks/whatsapp",
    );
    expect(request(httpApiAt("prod", "/prod")).path).toBe("/");
    expect(request(httpApiAt("prod", "/production/x")).path).toBe("/production/x");
  });

  test("under a custom domain shows no stage to its callers", () => {
    const event = httpApiAt("prod", "/prod/webhooks/whatsapp", { domainName: "bot.example.com" });
    const headers = { ...httpApi.headers, host: "bot.example.com" };
    expect(urlOf({ ...(event as Json), headers })).toBe("https://bot.example.com/webhooks/whatsapp");
  });

  test("under a path of that domain is told apart by the public URL", () => {
    const publicUrl = "https://api.example.com/chat/";
    const event = httpApiAt("$default", "/chat/webhooks/whatsapp", { domainName: "api.example.com" });
    expect(request(event, publicUrl).path).toBe("/webhooks/whatsapp");
    expect(urlOf(event, publicUrl)).toBe("https://api.example.com/chat/webhooks/whatsapp");
  });

  test("of a function URL is the same", () => {
    const event = httpApiAt("$default", "/healthz", { domainName: "abc.lambda-url.eu-west-1.on.aws" });
    expect(request(event).path).toBe("/healthz");
  });
});

describe("an event of a REST API", () => {
  test("is a request with everything that was sent", async () => {
    const made = request(restApi);
    expect(made).toMatchObject({
      method: "POST",
      path: "/webhooks/wati",
      search: "?secret=two%20words&tag=a&tag=b",
      remoteAddress: "192.0.2.45",
    });
    expect(made.query.get("secret")).toBe("two words");
    expect(made.headers).toMatchObject({
      "content-type": "application/json",
      cookie: "one=1; two=2",
      "x-forwarded-for": "192.0.2.45, 198.51.100.7",
    });
    expect(await bodyOf(restApi)).toBe('{"text":"¿qué tal?"}');
  });

  test("tells the URL that was signed, with the stage that its path leaves out", () => {
    expect(urlOf(restApi)).toBe(
      "https://f6g7h8i9j0.execute-api.eu-west-1.amazonaws.com/prod/" +
        "webhooks/wati?secret=two%20words&tag=a&tag=b",
    );
  });

  test("whose stage is called like one of our paths keeps that path", () => {
    const requestContext = { ...restApi.requestContext, stage: "webhooks", path: "/webhooks/webhooks/wati" };
    expect(request({ ...restApi, requestContext }).path).toBe("/webhooks/wati");
  });

  test("without lists has its single values", () => {
    const event = { ...restApi, multiValueHeaders: null, multiValueQueryStringParameters: null };
    expect(request(event).search).toBe("?secret=two%20words&tag=b");
    expect(request(event).headers.host).toBe("f6g7h8i9j0.execute-api.eu-west-1.amazonaws.com");
  });
});

describe("an event of a load balancer", () => {
  test("brings its parameters as they came", () => {
    expect(request(loadBalancer)).toMatchObject({ path: "/webhooks/wati", search: "?secret=two%20words" });
    expect(urlOf(loadBalancer)).toBe("https://bot.example.com/webhooks/wati?secret=two%20words");
  });

  test("with lists is answered with lists", () => {
    const answer = { status: 200, headers: { "content-type": "text/xml" }, body: "<Response/>" };
    expect(responseFrom(answer, loadBalancer)).toEqual({
      statusCode: 200,
      headers: { "content-type": "text/xml" },
      multiValueHeaders: { "content-type": ["text/xml"] },
      body: "<Response/>",
      isBase64Encoded: false,
    });
    expect(responseFrom(answer, restApi)).not.toHaveProperty("multiValueHeaders");
  });
});

describe("a body", () => {
  test("keeps every byte", async () => {
    const bytes = Buffer.from([0, 255, 128, 10, 13, 254]);
    const event = { ...httpApi, body: bytes.toString("base64"), isBase64Encoded: true };
    expect(await request(event).body(6)).toEqual(bytes);
  });

  test("that is too large is not handed on", async () => {
    expect(await bodyOf(httpApi, 10)).toBe("too-large");
  });

  test("that is missing is empty", async () => {
    expect(await bodyOf({ ...httpApi, body: undefined })).toBe("");
    expect(await bodyOf({ ...restApi, body: null })).toBe("");
  });
});

test("a caller that claims to call from this machine proves nothing by that", () => {
  const identity = { sourceIp: "127.0.0.1" };
  const event = { ...restApi, requestContext: { ...restApi.requestContext, identity } };
  expect(request(event).remoteAddress).toBeUndefined();
});

test.each([
  ["nothing", undefined],
  ["null", null],
  ["a text", "event"],
  ["a list", []],
  ["an object without a request", {}],
  ["triggers of a queue", { Records: [{ body: "{}" }] }],
  ["a schedule", { source: "aws.events", detail: {} }],
  ["a method that is no text", { httpMethod: 7, path: "/" }],
])("%s is no request", (_what, event) => {
  expect(requestFrom(event, undefined)).toBeUndefined();
});

test("what does not have the type that it should have is left out", async () => {
  const event = {
    httpMethod: "post",
    path: 7,
    headers: { Host: 1, "X-Ok": "yes" },
    multiValueHeaders: { "X-Many": [1, "a", null, "b"], "X-None": "text" },
    queryStringParameters: { a: 1, b: "2" },
    requestContext: "nothing",
    body: { an: "object" },
  };
  const made = request(event);
  expect(made).toMatchObject({ method: "POST", path: "/", search: "?b=2", remoteAddress: undefined });
  expect(made.headers).toEqual({ "x-ok": "yes", "x-many": "a, b" });
  expect(await bodyOf(event)).toBe("");
});
