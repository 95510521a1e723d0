import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { nameOf, neverConnected } from "./connection-failure.ts";
import { callHttp, type HttpCall } from "./http-call.ts";

const servers: { close(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listening(server: Server): Promise<string> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  const url = await listening(server);
  servers.push({ close: () => server.closeAllConnections() });
  return url;
}

function call(more: Partial<HttpCall> = {}): HttpCall {
  return { headers: {}, signal: new AbortController().signal, ...more };
}

test("what is asked arrives whole, and so does the answer", async () => {
  const url = await serving(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { method, url: path, headers } = request;
    response.writeHead(201, { "x-request-id": "r1", "set-cookie": ["a=1", "b=2"] });
    response.end(JSON.stringify({ method, path, type: headers["content-type"], body }));
  });
  const headers = { "content-type": "text/plain" };
  const answer = await callHttp(`${url}/a?b=c`, call({ method: "POST", headers, body: "größer ✓" }));
  expect(answer.status).toBe(201);
  expect(JSON.parse(answer.text ?? "")).toEqual({
    method: "POST",
    path: "/a?b=c",
    type: "text/plain",
    body: "größer ✓",
  });
  const told = ["X-Request-Id", "set-cookie", "retry-after"].map((name) => answer.headers.get(name));
  expect(told).toEqual(["r1", "a=1, b=2", null]);
});

test("a letter that comes in two pieces is one letter", async () => {
  const bytes = Buffer.from("✓");
  const url = await serving((_, response) => {
    response.write(bytes.subarray(0, 1));
    setImmediate(() => response.end(bytes.subarray(1)));
  });
  expect((await callHttp(url, call())).text).toBe("✓");
});

test("an answer may be as long as it may be; one byte more, and its connection is ended", async () => {
  const url = await serving((_, response) => response.end("x".repeat(13)));
  expect((await callHttp(url, call({ answerBytesMax: 13 }))).text).toHaveLength(13);
  expect(await callHttp(url, call({ answerBytesMax: 12 }))).toMatchObject({ status: 200, text: undefined });
});

test("where the status is enough, an answer that never ends is not waited for", async () => {
  const url = await serving((request, response) => {
    response.writeHead(request.url === "/bad" ? 500 : 200).write("on and on");
  });
  const reads = (status: number) => status < 300;
  expect(await callHttp(`${url}/bad`, call({ reads }))).toMatchObject({ status: 500, text: undefined });
  const impatient = call({ reads, signal: AbortSignal.timeout(50) });
  await expect(callHttp(`${url}/good`, impatient)).rejects.toThrow();
});

test("a post without a body says so", async () => {
  const url = await serving((request, response) => response.end(request.headers["content-length"]));
  expect((await callHttp(url, call({ method: "POST" }))).text).toBe("0");
});

test("a redirect is an answer, and is not followed", async () => {
  const seen: (string | undefined)[] = [];
  const url = await serving((request, response) => {
    seen.push(request.url);
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  expect((await callHttp(`${url}/here`, call({ method: "POST", body: "hello" }))).status).toBe(307);
  expect(seen).toEqual(["/here"]);
});

test("an answer that breaks off is none", async () => {
  const url = await serving((_, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("half", () => response.destroy());
  });
  const error = await callHttp(url, call()).catch((each: unknown) => each);
  expect([nameOf(error), neverConnected(error)]).toEqual(["ECONNRESET", false]);
});

test("a refused connection carried nothing", async () => {
  const server = createTcpServer();
  const url = await listening(server);
  await new Promise((closed) => server.close(closed));
  const error = await callHttp(url, call()).catch((each: unknown) => each);
  expect([nameOf(error), neverConnected(error)]).toEqual(["ECONNREFUSED", true]);
});

test("an address of IPv6 is an address, and no name to look up", async () => {
  const error = await callHttp("http://[::1]:9/", call()).catch((each: unknown) => each);
  expect(error).toMatchObject({ syscall: "connect", address: "::1" });
});

test("given up before it is connected, it was not sent; given up later, it may have been", async () => {
  const early = new AbortController();
  const waiting = callHttp("http://127.0.0.1:9", call({ method: "POST", signal: early.signal }));
  early.abort(new Error("too late"));
  expect(neverConnected(await waiting.catch((each: unknown) => each))).toBe(true);

  const late = new AbortController();
  const reason = new Error("too late");
  const url = await serving(() => late.abort(reason));
  const error = await callHttp(url, call({ method: "POST", signal: late.signal })).catch((each) => each);
  expect([error, neverConnected(error)]).toEqual([reason, false]);
});

test("what was given up before it began is not sent", async () => {
  const reason = new Error("too late");
  const gone = callHttp("http://127.0.0.1:9", call({ signal: AbortSignal.abort(reason) }));
  await expect(gone).rejects.toBe(reason);
});

test("one connection serves one call after another", async () => {
  const ports = new Set<number | undefined>();
  const url = await serving((request, response) => {
    ports.add(request.socket.remotePort);
    response.end("yes");
  });
  for (let at = 0; at < 5; at += 1) await callHttp(url, call());
  expect(ports.size).toBe(1);
});

test("a URL with a user or a password is refused, and told without them", async () => {
  let asked = 0;
  const url = await serving((_request, response) => {
    asked += 1;
    response.end();
  });
  for (const who of ["ana:secret@", "ana@", ":secret@"]) {
    const failed = await callHttp(url.replace("//", `//${who}`), call()).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: "INVALID_CONFIG", retry: "never" });
    expect(String(failed)).not.toMatch(/ana|secret/);
  }
  expect(asked).toBe(0);
});
