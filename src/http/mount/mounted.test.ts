import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type StubOptions, stubService } from "../../../test/http/stub-service.ts";
import { createEdge } from "../edge.ts";
import { mount as express } from "./express.ts";
import { mount as hono } from "./hono.ts";
import { type Mountable, prefixIn } from "./mounted.ts";
import { mount as next } from "./next.ts";

const HOOK = "http://bot.example.test/lull/webhooks/whatsapp?a=%20";

function stub(options: StubOptions = {}) {
  const service = stubService(options);
  const lull: Mountable = Object.assign(service, { handle: createEdge(service) });
  return { service, lull };
}

const close: (() => void)[] = [];
afterEach(() => {
  for (const each of close.splice(0)) each();
});

type Left = { baseUrl?: string; originalUrl?: string; body?: unknown; rawBody?: unknown };

/** A server that leaves on each request what Express and its parsers do. */
async function inExpress(lull: Mountable, left: Left): Promise<string> {
  const handle = express(lull);
  const server = createServer((message: IncomingMessage, response: ServerResponse) => {
    handle(Object.assign(message, left), response, () => response.writeHead(418).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  close.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("what is signed", () => {
  test("is the URL with the prefix and the body as it came", async () => {
    const { lull, service } = stub();
    await next(lull, { at: "/lull" }).POST(new Request(HOOK, { method: "POST", body: "Body=%2B" }));
    const { url, body } = service.received[0]!.request;
    expect([url, body.toString()]).toEqual([HOOK, "Body=%2B"]);
  });

  test("is the public URL where there is one: it ends with the prefix", async () => {
    const { lull, service } = stub({ publicUrl: "https://bot.example.com/lull" });
    await hono(lull, { at: "/lull/" })(
      { req: { raw: new Request(HOOK, { method: "POST" }) }, env: {} },
      expect.fail,
    );
    expect(service.received[0]?.request.url).toBe("https://bot.example.com/lull/webhooks/whatsapp?a=%20");
  });

  test.each([
    ["rawBody", { rawBody: Buffer.from("Body=as+it+came"), body: { Body: "as it came" } }],
    ["body", { body: Buffer.from("Body=as+it+came") }],
  ])("is what a raw parser kept as `%s`, up to the limit", async (_where, left) => {
    const { lull, service } = stub({ settings: { bodyBytesMax: 15 } });
    const url = await inExpress(lull, { ...left, originalUrl: "/webhooks/whatsapp" });
    expect((await fetch(url, { method: "POST" })).status).toBe(200);
    expect(service.received[0]?.request.body.toString()).toBe("Body=as+it+came");
    const small = stub({ settings: { bodyBytesMax: 14 } });
    const other = await inExpress(small.lull, { ...left, originalUrl: "/webhooks/whatsapp" });
    expect((await fetch(other, { method: "POST" })).status).toBe(413);
  });
});

test("a request that was read by a handler of the host is refused with the way out", async () => {
  const { lull, service } = stub();
  const request = new Request(HOOK, { method: "POST", body: "Body=hi" });
  await request.formData().catch(() => {});
  const refused = await next(lull, { at: "/lull" }).POST(request);
  expect([refused.status, await refused.text()]).toEqual([
    500,
    expect.stringContaining("mount Lull in front of"),
  ]);
  expect(service.received).toEqual([]);
});

test("Next takes the slash from the phone page's address: what to set is said, once", async () => {
  const { lull } = stub();
  const { GET } = next(lull, { at: "/lull" });
  const page = await GET(new Request("http://bot.example.test/lull"));
  expect([page.status, await page.text()]).toEqual([
    404,
    expect.stringContaining("skipTrailingSlashRedirect"),
  ]);
  expect((await GET(new Request("http://bot.example.test/lull/"))).status).toBe(200);
  expect((await GET(new Request("http://bot.example.test/lullaby/healthz"))).status).toBe(404);
});

test("a place that is no path is refused when it is mounted", () => {
  expect(["", "/", "/lull", "/a/lull/"].map(prefixIn)).toEqual(["", "", "/lull", "/a/lull"]);
  for (const at of ["lull", "/lull/*", "/:tenant"])
    expect(() => prefixIn(at)).toThrow('give a path such as "/lull"');
});
