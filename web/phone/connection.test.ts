import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { fakeClock } from "../../src/testing/fake-clock.ts";
import { createConnection } from "./connection.ts";

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function connect(listener: RequestListener, signature = "") {
  server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/below/?a=1`;
  const clock = fakeClock();
  const connection = createConnection({ base, channel: "shop", clock, signature: () => signature });
  return { connection, clock };
}

test("both requests go below the page's own address, with the proof where there is one", async () => {
  const seen: string[] = [];
  const { connection } = await connect(async (request, response) => {
    const { method, url, headers } = request;
    seen.push(
      `${method} ${url} ${headers["content-type"]} ${headers["x-lull-signature"]} ${await text(request)}`,
    );
    response.end("{}");
  }, "proof");
  await connection.say({ id: "m-1", sender: "visitor-1", text: "hi" });
  await connection.feed(new URLSearchParams({ sender: "a b", after: "7" }));
  expect(seen).toEqual([
    'POST /below/webhooks/shop application/json proof {"id":"m-1","sender":"visitor-1","text":"hi"}',
    "GET /below/webhooks/shop/feed?sender=a+b&after=7 application/json proof ",
  ]);
});

test("without a proof no header says so", async () => {
  const { connection } = await connect((request, response) => {
    response.end(JSON.stringify("x-lull-signature" in request.headers));
  });
  expect(await (await connection.feed(new URLSearchParams())).json()).toBe(false);
});

test("a service that takes the request and never answers is given up after ten seconds", async () => {
  const { connection, clock } = await connect(() => {});
  const asked = once(server, "request") as Promise<[IncomingMessage]>;
  let ended = "";
  const answer = connection.feed(new URLSearchParams()).catch(({ name }: Error) => {
    ended = name;
  });
  await asked;
  await clock.advance(9_999);
  expect(ended).toBe("");
  await clock.advance(1);
  await answer;
  expect(ended).toBe("AbortError");
});
