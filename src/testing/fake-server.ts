import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "../runtime/system-clock.ts";

/** A request as it reached the fake. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface FakeReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * How the fake meets one request. `ok` does what the provider would do. `tookEffect` is the case that hurts:
 * the message went out and the sender was not told. `afterMs` makes the fake slow; a `behave` function may
 * also wait for anything else before it answers.
 */
export type FakeBehaviour = { readonly afterMs?: number } & (
  | { readonly kind: "ok" }
  /** The provider's own kind of error. */
  | {
      readonly kind: "error";
      readonly status: number;
      readonly code?: number;
      readonly retryAfterSeconds?: number;
    }
  /** A bare status, as from a proxy in between. */
  | { readonly kind: "status"; readonly status: number; readonly body?: string }
  | { readonly kind: "hang"; readonly tookEffect?: boolean }
  | { readonly kind: "drop"; readonly tookEffect?: boolean }
);

export type Behave = (request: FakeRequest) => FakeBehaviour | Promise<FakeBehaviour>;

/** A provider on loopback. */
export interface FakeServer {
  /** Known after the first `start`; a stopped fake starts again on the same port. */
  readonly url: string;
  readonly requests: readonly FakeRequest[];
  start(): Promise<void>;
  /** From now on connections are refused; open ones are cut. */
  stop(): Promise<void>;
  behave(behave: Behave): void;
  /** The next request to arrive from now on. */
  nextRequest(): Promise<FakeRequest>;
}

export interface FakeProvider {
  /** What the provider does, effect included. */
  handle(request: FakeRequest): FakeReply;
  /** How the provider words an error. */
  refuse(status: number, code: number | undefined): FakeReply;
  /** What its clock shows: every answer is dated by it. */
  readonly nowMs?: () => number;
}

export function fakeServer(provider: FakeProvider): FakeServer {
  const requests: FakeRequest[] = [];
  let waiting: ((request: FakeRequest) => void)[] = [];
  let behaviour: Behave = () => ({ kind: "ok" });
  let port = 0;
  let server = createServer();

  async function meet(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await read(incoming);
    requests.push(request);
    const told = waiting;
    waiting = [];
    for (const tell of told) tell(request);
    const does = await behaviour(request);
    if (does.afterMs !== undefined) await systemClock.sleep(does.afterMs);
    if (provider.nowMs) response.setHeader("date", new Date(provider.nowMs()).toUTCString());
    act(does, provider, request, response);
  }

  return {
    requests,
    get url() {
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
    behave(behave) {
      behaviour = behave;
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
      reply(response, provider.refuse(does.status, does.code), does.retryAfterSeconds);
      break;
    case "status":
      reply(response, { status: does.status, body: does.body ?? "" });
      break;
    case "hang":
      if (does.tookEffect === true) provider.handle(request);
      break;
    case "drop":
      if (does.tookEffect !== false) provider.handle(request);
      response.socket?.destroy();
  }
}

async function read(incoming: IncomingMessage): Promise<FakeRequest> {
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
  };
}

function reply(
  response: ServerResponse,
  { status, headers, body }: FakeReply,
  retryAfterSeconds?: number,
): void {
  const retryAfter = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  response.writeHead(status, { ...headers, ...retryAfter }).end(body);
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
