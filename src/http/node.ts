import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Settings } from "../model/settings.ts";
import type { Clock } from "../ports/clock.ts";
import { systemClock } from "../runtime/system-clock.ts";
import { failure } from "./answers.ts";
import { Connections } from "./connections.ts";
import type { EdgeAnswer, Handle } from "./edge-request.ts";
import { listen } from "./listen.ts";
import { dropBody, NodeRequest } from "./node-request.ts";
import { dropRest, oneRequest } from "./one-request.ts";
import { SlowAnswers } from "./slow-answers.ts";

/** What can be served: `createLull` returns one. */
export interface Served {
  readonly handle: Handle;
  readonly settings: Pick<Settings, "connectionsMax">;
  /** The machine's own clock where left out. */
  readonly clock?: Clock;
  start(): Promise<void>;
  stop(graceMs?: number): Promise<void>;
}

export interface ServeOptions {
  /** 0: any free one. */
  readonly port: number;
  /**
   * `127.0.0.1` when left out, as for `lull start`: for a proxy on this machine. With `0.0.0.0` any machine
   * that can reach it may connect.
   */
  readonly host?: string;
  readonly timeouts?: Partial<Timeouts>;
}

/** How long a caller may take. One that sends a byte now and then holds a connection no longer than this. */
export interface Timeouts {
  readonly headersMs: number;
  readonly requestMs: number;
  /**
   * Longer than the 60 s of common load balancers, which otherwise reuse a connection that we just closed.
   */
  readonly keepAliveMs: number;
  /** How often the first two are looked at. Node's own 30 s would turn ten seconds into forty. */
  readonly checkMs: number;
}

export interface Serving {
  readonly url: string;
  readonly port: number;
  /** Takes no new requests, lets running ones finish, then stops. After `graceMs` what is left is cut off. */
  close(graceMs?: number): Promise<void>;
}

const TIMEOUTS: Timeouts = { headersMs: 10_000, requestMs: 30_000, keepAliveMs: 65_000, checkMs: 5_000 };
const GRACE_MS = 30_000;
const LOOPBACK = "127.0.0.1";
const UNEXPECTED = Promise.resolve(
  failure(417, "INVALID_REQUEST", "nothing can be expected here but 100-continue"),
);

/** Listens, then starts taking turns. */
export async function serve(lull: Served, options: ServeOptions): Promise<Serving> {
  const draining = { now: false };
  const listening = httpServer(lull, draining, { ...TIMEOUTS, ...options.timeouts });
  const { server } = listening;
  const host = options.host ?? LOOPBACK;
  await listen(server, { port: options.port, host });
  try {
    await lull.start();
  } catch (error) {
    await drained(listening, 0);
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  const close = async (graceMs: number) => {
    draining.now = true;
    const endsAtMs = systemClock.nowMs() + graceMs;
    await drained(listening, graceMs);
    await lull.stop(Math.max(0, endsAtMs - systemClock.nowMs()));
  };
  return {
    url: `http://${urlHost(host)}:${port}`,
    port,
    close: (graceMs = GRACE_MS) => (closing ??= close(graceMs)),
  };
}

interface Listening {
  readonly server: Server;
  readonly connections: Connections;
}

function httpServer(lull: Served, draining: { readonly now: boolean }, timeouts: Timeouts): Listening {
  const { handle, settings, clock = systemClock } = lull;
  const connections = new Connections(settings.connectionsMax);
  const slow = new SlowAnswers(clock);
  const write = (message: IncomingMessage, response: ServerResponse, answer: EdgeAnswer) => {
    if (response.destroyed) return;
    const isLast = draining.now || !message.complete || connections.isLast(message);
    send(message, response, answer, isLast);
    const { socket } = message;
    // Nearly every answer is out now, and nothing of it has to be remembered. After the last answer no
    // request is waited for.
    if (socket.writableLength === 0) {
      if (!isLast) connections.answered(message);
      return;
    }
    connections.sending(message);
    const out = slow.add(
      () => socket.writableLength,
      () => socket.destroy(),
      answer.party,
    );
    response.once("close", () => {
      out();
      // The caller may have sent another request after the headers were out, which could not say so any more.
      if (isLast || connections.isLast(message)) socket.destroySoon();
      else connections.answered(message);
    });
  };
  const follow = (answering: Promise<EdgeAnswer>, message: IncomingMessage, response: ServerResponse) => {
    answering
      .then((answer) => write(message, response, answer))
      // Writing may fail as well: a user's own channel may put a line break into a header.
      .catch(() => response.destroy());
  };
  const server = createServer(
    {
      IncomingMessage: oneRequest(connections),
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: timeouts.checkMs,
    },
    (message, response) => follow(handle(new NodeRequest(message)), message, response),
  );
  server.on("connection", (socket) => connections.opened(socket));
  // A caller that asks before it sends its body is told to go on once its headers were accepted, not before.
  server.on("checkContinue", (message, response) =>
    follow(handle(new NodeRequest(message, () => response.writeContinue())), message, response),
  );
  // Node would answer at once, and take apart the next request of the same read.
  server.on("checkExpectation", (message, response) => follow(UNEXPECTED, message, response));
  server.on("upgrade", (_, socket) => dropRest(socket));
  return { server, connections };
}

function send(message: IncomingMessage, response: ServerResponse, answer: EdgeAnswer, isLast: boolean): void {
  const headers: Record<string, string | number> = {
    ...answer.headers,
    "content-length": Buffer.byteLength(answer.body),
  };
  if (isLast) headers.connection = "close";
  // A body that was refused half-way is not read to its end.
  if (!message.complete) dropBody(message);
  response.writeHead(answer.status, headers);
  response.end(answer.body);
}

/**
 * `close` also ends connections that wait for a next request; the others end with the answer that they are
 * owed.
 */
function drained({ server, connections }: Listening, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    // Not the server's own list: it lacks connections on which a request came too early.
    const spare = systemClock.after(graceMs, () => connections.closeAll());
    server.close(() => {
      spare();
      resolve();
    });
  });
}

function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::" || host === "") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
