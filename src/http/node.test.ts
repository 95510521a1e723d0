import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { afterEach, expect, test } from "vitest";
import { rawConnection } from "../../test/http/raw-request.ts";
import { type StubOptions, serveStub, stubChannel, stubService } from "../../test/http/stub-service.ts";
import { ConfigError } from "../errors.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import type { ServeOptions, Serving } from "./node.ts";

let serving: Serving | undefined;
afterEach(() => serving?.close(0));

async function start(options: StubOptions = {}, serveOptions: Partial<ServeOptions> = {}) {
  const service = stubService(options);
  serving = await serveStub(service, serveOptions);
  return { service, serving, port: serving.port };
}

/** A service whose webhooks wait until the test lets them go. */
function held() {
  const reached = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const receive = async () => {
    reached.resolve();
    await go.promise;
    return { status: 200, headers: {}, body: "staged" };
  };
  return { receive, reached: reached.promise, go: go.resolve };
}

const post = (headers: string, body = "") =>
  `POST /webhooks/whatsapp HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n${body}`;

test("a chunked body arrives whole, however it is cut", async () => {
  const { service, port } = await start();
  const raw = await rawConnection(port);
  raw.write(post("Transfer-Encoding: chunked", "2\r\nBo\r\n"));
  raw.write("5\r\ndy=hi\r\n");
  raw.write("0\r\n\r\n");
  await raw.until(/staged/);
  expect(service.received[0]?.request.body.toString()).toBe("Body=hi");
  raw.socket.destroy();
});

test("an answer has a content-length and keeps the connection", async () => {
  const { port } = await start();
  const raw = await rawConnection(port);
  raw.write(post("Content-Length: 2", "hi"));
  expect(await raw.until(/staged/)).toMatch(/^HTTP\/1\.1 200 .*\r\ncontent-length: 6\r\n/is);
  raw.write(post("Content-Length: 3", "you"));
  expect(await raw.until(/staged.*staged/s)).not.toMatch(/connection: close/i);
  raw.socket.destroy();
});

test("a body that is announced too large is refused unread, in the channel's words", async () => {
  const { service, port } = await start({
    channels: { whatsapp: stubChannel("whatsapp", { bodyBytesMax: 10 }) },
  });
  const raw = await rawConnection(port);
  raw.write(post("Content-Length: 11"));
  const came = await raw.closed();
  expect(came).toMatch(/^HTTP\/1\.1 413 /);
  expect(came).toMatch(/connection: close/i);
  expect(came).toContain("<whatsapp>PAYLOAD_TOO_LARGE</whatsapp>");
  expect(service.received).toEqual([]);
});

test("a chunked body is cut off where it gets too large", async () => {
  const { service, port } = await start({ settings: { bodyBytesMax: 10 } });
  const raw = await rawConnection(port);
  raw.write(post("Transfer-Encoding: chunked", "a\r\n0123456789\r\n"));
  raw.write("1\r\nx\r\n");
  expect(await raw.closed()).toMatch(/^HTTP\/1\.1 413 /);
  expect(service.received).toEqual([]);
});

test("a webhook refused by its headers is refused before its body came, in the channel's words", async () => {
  const whatsapp = stubChannel("whatsapp", {
    glance: ({ headers, url }) =>
      headers["x-proof"]
        ? undefined
        : { code: "INVALID_SIGNATURE", why: `no proof for ${new URL(url).pathname}` },
  });
  const { service, port } = await start({ channels: { whatsapp } });
  const raw = await rawConnection(port);
  raw.write(post("Content-Length: 100", "on"));
  const came = await raw.closed();
  expect(came).toMatch(/connection: close/i);
  expect(came).toContain("<whatsapp>INVALID_SIGNATURE</whatsapp>");
  expect(service.received).toEqual([]);
  const reason = "no proof for /webhooks/whatsapp";
  expect(service.logged.map(({ fields }) => fields)).toEqual([
    { channel: "whatsapp", code: "INVALID_SIGNATURE", reason },
  ]);

  const proven = await rawConnection(port);
  proven.write(post("Content-Length: 2\r\nX-Proof: yes", "hi"));
  await proven.until(/staged/);
  proven.socket.destroy();
});

test("a small body that was refused by its headers is not taken for the next request", async () => {
  const whatsapp = stubChannel("whatsapp", {
    glance: ({ headers }) => (headers["x-proof"] ? undefined : { code: "INVALID_PAYLOAD", why: "no" }),
  });
  const { service, port } = await start({ channels: { whatsapp } });
  const raw = await rawConnection(port);
  const hidden = post("X-Proof: yes\r\nContent-Length: 6", "hidden");
  raw.write(post(`Content-Length: ${hidden.length}`, hidden));
  raw.socket.end();
  expect((await raw.closed()).match(/HTTP\/1\.1 /g)?.length).toBe(1);
  expect(service.received).toEqual([]);
});

test("a caller that asks before it sends its body is told to go on once its headers are good", async () => {
  const { service, port } = await start({ settings: { bodyBytesMax: 10 } });
  const refused = await rawConnection(port);
  refused.write(post("Expect: 100-continue\r\nContent-Length: 11"));
  expect(await refused.closed()).toMatch(/^HTTP\/1\.1 413 /);
  const raw = await rawConnection(port);
  raw.write(post("Expect: 100-continue\r\nContent-Length: 2"));
  expect(await raw.until(/\r\n\r\n/)).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  raw.write("hi");
  await raw.until(/staged/);
  expect(service.received.length).toBe(1);
  raw.socket.destroy();
});

/** An upload that its caller stalls. */
async function stalled(port: number, body = "s") {
  const raw = await rawConnection(port);
  raw.write(post("Expect: 100-continue\r\nContent-Length: 100"));
  // From then on it is being read.
  await raw.until(/100 Continue/);
  raw.write(body);
  return raw;
}

test("bodies that are not there yet take no place", async () => {
  const { service, port } = await start({ settings: { requestsMax: 1 } });
  const held = [await stalled(port), await stalled(port)];
  expect((await fetch(`${serving?.url}/webhooks/whatsapp`, { method: "POST", body: "hi" })).status).toBe(200);
  expect(service.received.length).toBe(1);
  for (const raw of held) raw.socket.destroy();
});

test("a body from which nothing comes ends after seconds, and is told", async () => {
  const clock = fakeClock();
  const { service, port } = await start({ clock });
  const raw = await stalled(port);
  await clock.advance(5_000);
  expect(await raw.closed()).toMatch(/HTTP\/1\.1 408 /);
  expect(service.logged).toEqual([
    {
      event: "webhook.refused",
      fields: { channel: "whatsapp", code: "INVALID_PAYLOAD", reason: "the body came too slowly" },
    },
  ]);
});

test("when there is no room, the oldest body goes, in its channel's words; the newest is taken", async () => {
  const { service, port } = await start({ settings: { bodyBytesMax: 100, readingBytesMax: 16_100 } });
  const [first, second] = [await stalled(port), await stalled(port)];
  expect((await fetch(`${serving?.url}/webhooks/whatsapp`, { method: "POST", body: "hi" })).status).toBe(200);
  const came = await first.closed();
  expect(came).toMatch(/HTTP\/1\.1 429 .*retry-after: 1/is);
  expect(came).toContain("<whatsapp>RATE_LIMITED</whatsapp>");
  expect(service.received.length).toBe(1);
  second.socket.destroy();
});

test("past its limit of connections the one used longest ago goes, none that is being answered", async () => {
  const { receive, reached, go } = held();
  const { port } = await start({ receive, settings: { connectionsMax: 3 } });
  const answered = await rawConnection(port);
  answered.write(post("Content-Length: 2", "hi"));
  await reached;
  const idle = await rawConnection(port);
  idle.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await idle.until(/"ok"/);
  const silent = await rawConnection(port);
  silent.write("POST /webhooks/whatsapp HTTP/1.1\r\nHost: loc");
  expect((await fetch(`${serving?.url}/healthz`)).status).toBe(200);
  await idle.closed();
  expect((await fetch(`${serving?.url}/healthz`, { headers: { connection: "close" } })).status).toBe(200);
  go();
  await answered.until(/staged/);
  answered.socket.destroy();
  silent.socket.destroy();
});

test("a request sent before the last one is answered is not carried out; that answer is final", async () => {
  const { receive, reached, go } = held();
  const { port, service } = await start({ receive });
  const raw = await rawConnection(port);
  const get = "GET /api/counts HTTP/1.1\r\nHost: localhost\r\n\r\n";
  raw.write(post("Content-Length: 2", "hi") + get.repeat(1_000));
  await reached;
  go();
  const came = await raw.closed();
  expect(came).toMatch(/connection: close.*staged$/is);
  expect(came.match(/HTTP\/1\.1 /g)?.length).toBe(1);
  expect(service.calls.filter(([name]) => name === "counts")).toEqual([]);
});

test("nothing is carried out behind an answer that is the last", async () => {
  const { service, port } = await start();
  const raw = await rawConnection(port);
  const refused = "POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc";
  raw.write(refused + post("Content-Length: 2", "hi"));
  await once(raw.socket, "close");
  expect(service.received).toEqual([]);
});

test("a request in a later piece, while another is answered, is not carried out either", async () => {
  const { receive, reached, go } = held();
  const { port } = await start({ receive });
  const raw = await rawConnection(port);
  raw.write(post("Content-Length: 2", "hi"));
  await reached;
  raw.write(post("Content-Length: 2", "ho"));
  // It was read before a later connection was answered.
  expect((await fetch(`${serving?.url}/healthz`)).status).toBe(200);
  go();
  expect((await raw.closed()).match(/staged/g)?.length).toBe(1);
});

test("what Node would answer by itself counts, too", async () => {
  const { port } = await start();
  for (const one of [
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: miracles\r\n\r\n",
    "GET /healthz HTTP/1.1\r\n\r\n",
  ]) {
    const raw = await rawConnection(port);
    raw.write(one.repeat(500));
    expect((await raw.closed()).match(/HTTP\/1\.1 4/g)?.length).toBe(1);
  }
});

test("an unknown expectation is refused, and the connection stays", async () => {
  const { port } = await start();
  const raw = await rawConnection(port);
  const ask = (headers: string) => raw.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
  ask("Expect: miracles\r\n");
  expect(await raw.until(/\}\}/)).toMatch(/^HTTP\/1\.1 417 /);
  ask("");
  await raw.until(/"ok"/);
  raw.socket.destroy();
});

test("a caller that would rather speak another protocol is answered in this one", async () => {
  const { port } = await start();
  const raw = await rawConnection(port);
  for (const answers of [/^HTTP\/1\.1 200 .*"ok"/s, /"ok".*"ok"/s]) {
    raw.write("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n");
    await raw.until(answers);
  }
  raw.write("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n");
  await raw.closed();
});

/** More than what a system holds for a caller who does not read. */
const LARGE = "x".repeat(30_000_000);

test("an answer that is not read is given up, and its connection closed", async () => {
  const clock = fakeClock();
  const receive = async () => ({ status: 200, headers: {}, body: LARGE });
  const { port } = await start({ clock, receive });
  const raw = await rawConnection(port);
  raw.socket.pause();
  raw.write(post("Content-Length: 2", "hi"));
  // All of them: one is answered after the other.
  expect((await fetch(`${serving?.url}/healthz`)).status).toBe(200);
  await clock.advance(24 * 60 * 60 * 1_000);
  raw.socket.resume();
  expect((await raw.closed()).length).toBeLessThan(LARGE.length);
});

test("an answer that is read comes whole, however large", async () => {
  const clock = fakeClock();
  const receive = async () => ({ status: 200, headers: {}, body: LARGE });
  await start({ clock, receive });
  const answer = await fetch(`${serving?.url}/webhooks/whatsapp`, { method: "POST", body: "hi" });
  expect((await answer.text()).length).toBe(LARGE.length);
  await clock.advance(24 * 60 * 60 * 1_000);
  expect((await fetch(`${serving?.url}/healthz`)).status).toBe(200);
});

test("a caller that asks again before an answer is out gets its rest; then the connection ends", async () => {
  const receive = async () => ({ status: 200, headers: {}, body: LARGE });
  const { port } = await start({ receive });
  const raw = await rawConnection(port);
  raw.write(post("Content-Length: 2", "hi"));
  await raw.until(/^HTTP/);
  raw.socket.pause();
  raw.write(post("Content-Length: 2", "ho"));
  // It was read before a later connection was answered.
  expect((await fetch(`${serving?.url}/healthz`)).status).toBe(200);
  raw.socket.resume();
  const came = await raw.closed();
  expect(came.length - came.indexOf("\r\n\r\n") - 4).toBe(LARGE.length);
});

test("past its limit of connections one whose answer is not read goes as well", async () => {
  const receive = async () => ({ status: 200, headers: {}, body: LARGE });
  const { port } = await start({ receive, settings: { connectionsMax: 1 } });
  const raw = await rawConnection(port);
  raw.socket.pause();
  raw.write(post("Content-Length: 2", "hi"));
  expect((await fetch(`${serving?.url}/healthz`)).status).toBe(200);
  raw.socket.resume();
  expect((await raw.closed()).length).toBeLessThan(LARGE.length);
});

test("a body at the limit is taken", async () => {
  const { service, port } = await start({ settings: { bodyBytesMax: 10 } });
  const raw = await rawConnection(port);
  raw.write(post("Content-Length: 10", "0123456789"));
  await raw.until(/staged/);
  expect(service.received[0]?.request.body.length).toBe(10);
  raw.socket.destroy();
});

test("a body that ends early is never staged", async () => {
  const { service, port } = await start();
  const halfClosed = await rawConnection(port);
  halfClosed.write(post("Content-Length: 100", "only this"));
  halfClosed.socket.end();
  expect(await halfClosed.closed()).not.toContain("staged");

  const aborted = await rawConnection(port);
  aborted.write(post("Content-Length: 100", "only this"));
  aborted.socket.resetAndDestroy();
  await aborted.closed();

  // Both connections have been dealt with once a later request is answered.
  expect((await fetch(`${serving?.url}/healthz`)).status).toBe(200);
  expect(service.received).toEqual([]);
  expect(service.logged).toEqual([]);
});

test("a caller that hangs up while its message is staged harms no other", async () => {
  const { receive, reached, go } = held();
  const { port, service } = await start({ receive });
  const raw = await rawConnection(port);
  raw.write(post("Content-Length: 2", "hi"));
  await reached;
  raw.socket.resetAndDestroy();
  await raw.closed();
  go();
  expect((await fetch(`${serving?.url}/healthz`)).status).toBe(200);
  expect(service.logged).toEqual([]);
});

test("repeated headers are joined", async () => {
  const { service, port } = await start();
  const request = httpRequest({
    port,
    host: "127.0.0.1",
    method: "POST",
    path: "/webhooks/whatsapp",
    headers: { "x-many": ["a", "b"], "set-cookie": ["c=1", "d=2"] },
  });
  request.end("b");
  const [response] = await once(request, "response");
  response.resume();
  expect(service.received[0]?.request.headers).toMatchObject({ "x-many": "a, b", "set-cookie": "c=1, d=2" });
});

test("a caller that never finishes its headers is cut off", async () => {
  const { port } = await start({}, { timeouts: { headersMs: 20, requestMs: 40, checkMs: 10 } });
  const raw = await rawConnection(port);
  raw.write("POST /webhooks/whatsapp HTTP/1.1\r\nHost: loc");
  expect(await raw.closed()).toMatch(/^HTTP\/1\.1 408 |^$/);
});

test("a caller that trickles its body is cut off, and nothing is staged", async () => {
  const { service, port } = await start({}, { timeouts: { headersMs: 20, requestMs: 40, checkMs: 10 } });
  const raw = await rawConnection(port);
  raw.write(post("Content-Length: 100", "slow"));
  expect(await raw.closed()).not.toContain("staged");
  expect(service.received).toEqual([]);
});

test("HEAD gets what GET gets, without the body", async () => {
  const { port } = await start();
  const raw = await rawConnection(port);
  raw.write("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  expect(await raw.closed()).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\n$/s);
});

test("closing lets the running request finish, then stops, then is done", async () => {
  const { receive, reached, go } = held();
  const { port, service, serving } = await start({ receive });
  const busy = await rawConnection(port);
  const idle = await rawConnection(port);
  idle.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await idle.until(/"ok"/);
  busy.write(post("Content-Length: 2", "hi"));
  await reached;

  const closing = serving.close(60_000);
  await idle.closed();
  await expect(fetch(`${serving.url}/healthz`)).rejects.toThrow();
  expect(service.calls).toEqual([["start"]]);

  go();
  const came = await busy.closed();
  expect(came).toContain("staged");
  expect(came).toMatch(/connection: close/i);
  await closing;
  expect(service.calls).toEqual([["start"], ["stop", expect.any(Number)]]);
  await serving.close();
  expect(service.calls.length).toBe(2);
});

test("closing is done when the stop is", async () => {
  let stopped = false;
  const { serving } = await start({
    stop: async () => {
      await fetch("data:,").then((answer) => answer.text());
      stopped = true;
    },
  });
  await serving.close();
  expect(stopped).toBe(true);
});

test("after the grace time, what still runs is cut off", async () => {
  const { receive, reached, go } = held();
  const { port, serving, service } = await start({ receive });
  const busy = await rawConnection(port);
  busy.write(post("Content-Length: 2", "hi"));
  await reached;
  await serving.close(10);
  expect(await busy.closed()).toBe("");
  // The grace is shared: turns do not get again what the requests used.
  const [, graceMs] = service.calls.find(([name]) => name === "stop") ?? [];
  expect(graceMs).toBeLessThan(10);
  go();
});

test("after the grace time it is, also where a request came too early", async () => {
  const { receive, reached, go } = held();
  const { port, serving } = await start({ receive });
  const busy = await rawConnection(port);
  busy.write(post("Content-Length: 2", "hi").repeat(2));
  await reached;
  await serving.close(10);
  expect(await busy.closed()).toBe("");
  go();
});

test("a port that is taken is told as a mistake of the configuration, before anything starts", async () => {
  const { port } = await start();
  const second = stubService();
  await expect(serveStub(second, { port })).rejects.toThrow(ConfigError);
  expect(second.calls).toEqual([]);
});

test("when the start fails, the port is not open", async () => {
  const { serving: before, port } = await start();
  await before.close(0);
  const noStore = async () => {
    throw new Error("no store");
  };
  await expect(serveStub(stubService({ start: noStore }), { port })).rejects.toThrow("no store");
  const { serving: after } = await start({}, { port });
  expect(after.url).toBe(`http://127.0.0.1:${port}`);
});

test("the URL can be opened even when every interface is listened on", async () => {
  serving = await serveStub(stubService(), { host: "0.0.0.0" });
  expect(serving.url).toBe(`http://localhost:${serving.port}`);
});
