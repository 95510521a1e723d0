import { fileURLToPath } from "node:url";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Gateway, openGateway } from "./gateway.ts";
import { LocalFunction } from "./local-function.ts";

const HANDLERS = fileURLToPath(new URL("./sample-handlers.ts", import.meta.url));

describe("the gateway on this machine", () => {
  let fn: LocalFunction;
  let gateway: Gateway;
  beforeAll(async () => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE };
    const handler = `${HANDLERS}#reflect`;
    fn = new LocalFunction({
      name: "reflect",
      handler,
      env,
      timeoutMs: 2_000,
      instancesMax: 2,
      write: () => {},
    });
    gateway = await openGateway({ webhook: fn, api: fn }, { port: 0, host: "127.0.0.1" });
  });
  afterAll(async () => {
    await gateway.stop(Promise.resolve());
    await fn.stop(Promise.resolve());
  });

  async function eventFor(path: string, init: RequestInit = {}): Promise<APIGatewayProxyEventV2> {
    return (await (await fetch(`${gateway.url}${path}`, init)).json()) as APIGatewayProxyEventV2;
  }

  const answerTo = (answer: unknown) =>
    fetch(`${gateway.url}/answers`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(answer),
    });

  it("hands a request over as an HTTP API does", async () => {
    const event = await eventFor("/webhooks/a%20b?x=1&x=2&y=%C3%A9", { headers: { Cookie: "a=1; b=2" } });
    expect(event).toMatchObject({
      version: "2.0",
      rawPath: "/webhooks/a%20b",
      rawQueryString: "x=1&x=2&y=%C3%A9",
      queryStringParameters: { x: "1,2", y: "é" },
      cookies: ["a=1", "b=2"],
      requestContext: { http: { method: "GET", path: "/webhooks/a%20b", sourceIp: "127.0.0.1" } },
      isBase64Encoded: false,
    });
    expect(event.body).toBeUndefined();
    expect(event.headers.cookie).toBeUndefined();
  });

  it("hands JSON over as text and a form in base64", async () => {
    const send = (type: string, body: string) =>
      eventFor("/", { method: "POST", headers: { "content-type": type }, body });
    expect(await send("application/json; charset=utf-8", '{"é":1}')).toMatchObject({
      body: '{"é":1}',
      isBase64Encoded: false,
    });
    expect(await send("application/x-www-form-urlencoded", "Body=hi")).toMatchObject({
      body: Buffer.from("Body=hi").toString("base64"),
      isBase64Encoded: true,
    });
  });

  it("writes status, headers, cookies and a body in base64", async () => {
    const answer = await answerTo({
      statusCode: 418,
      headers: { "Content-Type": "image/png", "X-Count": 3 },
      cookies: ["a=1", "b=2"],
      body: Buffer.from([0, 255]).toString("base64"),
      isBase64Encoded: true,
    });
    expect(answer.status).toBe(418);
    expect(answer.headers.get("content-type")).toBe("image/png");
    expect(answer.headers.get("x-count")).toBe("3");
    expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(new Uint8Array([0, 255]));
  });

  it("takes an answer without a status for the body of a success", async () => {
    const answer = await answerTo({ hello: 1 });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ hello: 1 });
  });

  it("answers 500 when the function throws or is killed at its deadline, and tells nothing", async () => {
    const thrown = await fetch(`${gateway.url}/throws`);
    expect([thrown.status, await thrown.text()]).toEqual([500, '{"message":"Internal Server Error"}']);
    expect((await fetch(`${gateway.url}/hangs`)).status).toBe(500);
  });

  it("says which port is taken", async () => {
    const port = Number(new URL(gateway.url).port);
    await expect(openGateway({ webhook: fn, api: fn }, { port, host: "127.0.0.1" })).rejects.toThrow(
      `port ${port} is in use`,
    );
  });

  it("answers 503 when the function takes longer than a gateway waits, and 413 to a huge body", async () => {
    const hasty = await openGateway(
      { webhook: fn, api: fn },
      { port: 0, host: "127.0.0.1", integrationMsMax: 50 },
    );
    expect((await fetch(`${hasty.url}/hangs`)).status).toBe(503);
    await hasty.stop(Promise.resolve());
    const body = Buffer.alloc(10_000_001);
    expect((await fetch(gateway.url, { method: "POST", body })).status).toBe(413);
  });
});
