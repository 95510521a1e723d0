import type { IncomingMessage } from "node:http";
import { BodyBytes, free } from "./body-bytes.ts";
import type { Body, EdgeRequest } from "./edge-request.ts";
import type { Reading } from "./intake.ts";

type Headers = EdgeRequest["headers"];

/** Node's request as an edge sees one. What a webhook does not need is made only on demand. */
export class NodeRequest implements EdgeRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: Headers;
  readonly #message: IncomingMessage;
  readonly #goOn: () => void;

  /** `goOn` tells a caller that waits with its body to send it. `url` counts where a host has changed it. */
  constructor(message: IncomingMessage, goOn: () => void = nothing, url = message.url ?? "/") {
    const { method = "GET" } = message;
    const mark = url.indexOf("?");
    this.method = method;
    this.path = mark === -1 ? url : url.slice(0, mark);
    this.search = mark === -1 ? "" : url.slice(mark);
    this.headers = plainHeaders(message);
    this.#message = message;
    this.#goOn = goOn;
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.search);
  }

  get remoteAddress(): string | undefined {
    return this.#message.socket.remoteAddress;
  }

  body(bytesMax: number, reading: Reading): Promise<Body> {
    // Announced as too large, it need not be read at all.
    if (Number(this.headers["content-length"] ?? 0) > bytesMax) return Promise.resolve("too-large");
    this.#goOn();
    return readBody(this.#message, bytesMax, reading);
  }
}

/** Of everything a request may carry, Node gives only `set-cookie` as a list; the rest is joined already. */
function plainHeaders({ headers }: IncomingMessage): Headers {
  const cookies = headers["set-cookie"];
  return (cookies ? { ...headers, "set-cookie": cookies.join(", ") } : headers) as Headers;
}

function nothing(): void {}

/** For the rest of a body that was refused. */
export function dropBody(message: IncomingMessage): void {
  message.on("data", free);
  message.on("error", nothing);
}

function readBody(message: IncomingMessage, bytesMax: number, reading: Reading): Promise<Body> {
  return new Promise((resolve) => {
    let bytes: BodyBytes | undefined = new BodyBytes(bytesMax);
    const end = (body: Body) => {
      bytes = undefined;
      resolve(body);
    };
    const giveUp = (why: Body) => {
      bytes?.free();
      end(why);
    };
    reading.begin(giveUp);
    message.on("data", (chunk: Buffer) => {
      if (bytes === undefined) return free(chunk);
      const problem = bytes.add(chunk);
      if (problem === undefined) return reading.grew(bytes.size, bytes.held);
      giveUp(problem);
      // Thousands of crumbs may have come at once, and each would still raise an event.
      if (problem === "too-slow") message.destroy();
    });
    message.on("end", () => {
      if (bytes === undefined) return;
      reading.whole();
      end(bytes.whole());
    });
    // `close` also follows `end` and `error`; then there is nothing left to say.
    message.on("close", () => bytes && giveUp("gone"));
    message.on("error", nothing);
    // From here on Node reports chunks as they come. Otherwise it makes a list of those that came with the
    // headers: ten thousand, if each is a byte.
    if (message.headers["transfer-encoding"] !== undefined) message.read(0);
  });
}
