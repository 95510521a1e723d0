import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "../runtime/system-clock.ts";

/** A request as it reached a fake. */
export interface FakeRequest {
  /** `GET`, `POST`, ... */
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  /** What stood behind the `?`. */
  readonly query: URLSearchParams;
  /** By their names in small letters. */
  readonly headers: IncomingHttpHeaders;
  /** As it was sent. */
  readonly body: string;
  /** When it was here, by the machine's clock. */
  readonly atMs: number;
  /** Resolves when the caller's connection is closed or its answer is out. */
  readonly over: Promise<void>;
}

/** What a fake answers. */
export interface FakeReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An error in the provider's own form. What that form has no place for is left out. */
export interface FakeError {
  /** Of the answer. WATI says no with 200. */
  readonly status: number;
  /** The provider's own: a number at Twilio (`21610`), a word at OpenAI (`insufficient_quota`). */
  readonly code?: number | string;
  /** For people. */
  readonly message?: string;
  /** At OpenAI: the kind of error. */
  readonly type?: string;
  /** At OpenAI: what of the request is at fault. */
  readonly param?: string;
  /** When to come back. */
  readonly retryAfterSeconds?: number;
  /** Beside those that the fake sets. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * How a fake meets one request. `ok` does what the provider would do. `tookEffect` is the case that hurts:
 * the message went out and the sender was not told. `afterMs` makes the fake slow.
 */
export type FakeBehaviour = { readonly afterMs?: number } & (
  | { readonly kind: "ok" }
  /** The provider's own kind of error. */
  | ({ readonly kind: "error" } & FakeError)
  /** This answer and no other: a bare status, as from a proxy in between. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** Never answers; the connection stays open until the caller or `stop` ends it. */
  | { readonly kind: "hang"; readonly tookEffect?: boolean }
  /** Closes the connection without an answer. It took effect, unless it is said otherwise. */
  | { readonly kind: "drop"; readonly tookEffect?: boolean }
);

/**
 * How each request is met, decided when it comes: `n` is 1 for the first one. It may wait for anything before
 * it decides.
 */
export type FakeDecision<Asked = FakeRequest, Behaviour = FakeBehaviour> = (
  request: Asked,
  n: number,
) => Behaviour | Promise<Behaviour>;

/** A provider on the loopback interface: what all fakes have. */
export interface FakeServer<Asked = FakeRequest, Behaviour = FakeBehaviour> {
  /** Known after the first `start`; a stopped fake starts again on the same port. */
  readonly url: string;
  /** Everything that was asked of it, oldest first. */
  readonly requests: readonly FakeRequest[];
  /** Listens on a free port. */
  start(): Promise<void>;
  /** From now on connections are refused; open ones are cut. */
  stop(): Promise<void>;
  /** How the next calls end, until it is told otherwise: all alike, or as a function decides for each. */
  behave(behaviour: Behaviour | FakeDecision<Asked, Behaviour>): void;
  /** The next request to arrive from now on. */
  nextRequest(): Promise<FakeRequest>;
}

/** A webhook as its provider would post it: what `fetch` takes beside the URL. */
export interface FakeWebhook {
  /** Always `POST`. */
  readonly method: "POST";
  /** With what proves who posts it. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it is posted. */
  readonly body: string;
}

export interface FakeProvider {
  /** What the provider does, effect included. */
  handle(request: FakeRequest): FakeReply;
  /** How the provider words an error. */
  refuse(error: FakeError): FakeReply;
  /** What its clock shows: every answer is dated by it. */
  readonly nowMs?: () => number;
}

export function fakeServer(provider: FakeProvider): FakeServer {
  const requests: FakeRequest[] = [];
  let waiting: ((request: FakeRequest) => void)[] = [];
  let decide: FakeDecision = () => ({ kind: "ok" });
  let port = 0;
  let server = createServer();

  async function meet(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await read(incoming, response);
    requests.push(request);
    const n = requests.length;
    const told = waiting;
    waiting = [];
    for (const tell of told) tell(request);
    const does = await decide(request, n);
    if (does.afterMs !== undefined) await systemClock.sleep(does.afterMs);
    if (provider.nowMs) response.setHeader("date", new Date(provider.nowMs()).toUTCString());
    act(does, provider, request, response);
  }

  return {
    requests,
    get url() {
      if (port === 0) throw new Error("start the fake first: until then it has no port");
      return `http://127.0.0.1:${port}`;
    },
    async start() {
      server = createServer((incoming, response) => {
        // A client that goes away mid-request is part of what is tested here.
        meet(incoming, response).catch(() => incoming.socket.destroy());
      });
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
      port = (server.address() as AddressInfo).port;
    },
    async stop() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
    behave(behaviour) {
      decide = typeof behaviour === "function" ? behaviour : () => behaviour;
    },
    nextRequest: () => new Promise((resolve) => waiting.push(resolve)),
  };
}

function act(
  does: FakeBehaviour,
  provider: FakeProvider,
  request: FakeRequest,
  response: ServerResponse,
): void {
  switch (does.kind) {
    case "ok":
      reply(response, provider.handle(request));
      break;
    case "error":
      reply(response, refusal(provider, does));
      break;
    case "status":
      reply(response, { ...does, body: does.body ?? "" });
      break;
    case "hang":
      if (does.tookEffect === true) provider.handle(request);
      break;
    case "drop":
      if (does.tookEffect !== false) provider.handle(request);
      response.socket?.destroy();
  }
}

async function read(incoming: IncomingMessage, response: ServerResponse): Promise<FakeRequest> {
  const over = new Promise<void>((resolve) => response.once("close", resolve));
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://fake");
  const { method = "GET", headers } = incoming;
  return {
    method,
    path: pathname,
    query: searchParams,
    headers,
    body: Buffer.concat(parts).toString("utf8"),
    atMs: systemClock.nowMs(),
    over,
  };
}

function refusal(provider: FakeProvider, error: FakeError): FakeReply {
  const { retryAfterSeconds: seconds } = error;
  const said = provider.refuse(error);
  const retryAfter = seconds === undefined ? {} : { "retry-after": String(seconds) };
  return { ...said, headers: { ...said.headers, ...retryAfter, ...error.headers } };
}

function reply(response: ServerResponse, { status, headers, body }: FakeReply): void {
  response.writeHead(status, headers).end(body);
}

export function jsonReply(status: number, value: unknown): FakeReply {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}

/** Promises that wait until a list has grown. */
export function growth(): {
  grown(length: number): void;
  reaches(length: number, now: number): Promise<void>;
} {
  let waiting: { readonly length: number; readonly resolve: () => void }[] = [];
  return {
    grown(length) {
      for (const { resolve } of waiting.filter((waiter) => waiter.length <= length)) resolve();
      waiting = waiting.filter((waiter) => waiter.length > length);
    },
    reaches(length, now) {
      if (now >= length) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ length, resolve }));
    },
  };
}
