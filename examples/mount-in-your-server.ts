// Lull inside a server that you have already: `lull.fetch` takes a Request and returns a Response.
//
//   npx node examples/mount-in-your-server.ts
//
// With Hono, Bun, Deno and others it is one line: app.all("/webhooks/*", (c) => lull.fetch(c.req.raw)).

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createLull } from "lull";
import { sqlite } from "lull/sqlite";
import { web } from "lull/web";

const lull = createLull({
  engine: sqlite({ file: "data/mounted.db" }),
  channels: { web: web() },
  window: { quietSeconds: 2 },
  respond: async (turn) => `heard ${turn.messages.length}`,
});

const server = createServer(async (message, response) => {
  if (message.url === "/hello") {
    response.end("a page of your own\n");
    return;
  }
  // The caller's address lets /api answer on this machine without a token.
  const { remoteAddress } = message.socket;
  const answer = await lull.fetch(toRequest(message), { ...(remoteAddress && { remoteAddress }) });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(await answer.text());
});

function toRequest(message: IncomingMessage): Request {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(message.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const bodyless = message.method === "GET" || message.method === "HEAD";
  return new Request(new URL(message.url ?? "/", `http://${message.headers.host ?? "localhost"}`), {
    method: message.method ?? "GET",
    headers,
    ...(!bodyless && { body: Readable.toWeb(message), duplex: "half" }),
  });
}

await lull.start(); // without it messages are stored and not answered
server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

// Running turns may finish. Nothing that was acknowledged is lost without this, either.
process.once("SIGTERM", () => {
  server.close(async () => {
    await lull.stop();
    process.exit();
  });
});
