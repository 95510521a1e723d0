import type { IncomingMessage } from "node:http";
import type { Body, EdgeRequest } from "./edge.ts";

type Headers = EdgeRequest["headers"];

/** Node's request as an edge sees one. What a webhook does not need is made only when asked for. */
export class NodeRequest implements EdgeRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: Headers;
  readonly #message: IncomingMessage;

  constructor(message: IncomingMessage) {
    const { method = "GET", url = "/" } = message;
    const mark = url.indexOf("?");
    this.method = method;
    this.path = mark === -1 ? url : url.slice(0, mark);
    this.search = mark === -1 ? "" : url.slice(mark);
    this.headers = plainHeaders(message);
    this.#message = message;
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.search);
  }

  get remoteAddress(): string | undefined {
    return this.#message.socket.remoteAddress;
  }

  body(bytesMax: number): Promise<Body> {
    return readBody(this.#message, bytesMax);
  }
}

/** Of everything a request may carry, Node gives only `set-cookie` as a list; the rest is joined already. */
function plainHeaders({ headers }: IncomingMessage): Headers {
  const cookies = headers["set-cookie"];
  return (cookies ? { ...headers, "set-cookie": cookies.join(", ") } : headers) as Headers;
}

function nothing(): void {}

function readBody(message: IncomingMessage, bytesMax: number): Promise<Body> {
  // Told beforehand, it need not be read at all.
  if (Number(message.headers["content-length"] ?? 0) > bytesMax) return Promise.resolve("too-large");
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    message.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bytesMax) {
        chunks.push(chunk);
        return;
      }
      message.pause();
      chunks.length = 0;
      resolve("too-large");
    });
    message.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // Also follows `end`, when the promise is settled already. An `error` is followed by it: nothing to add there.
    message.on("close", () => resolve("gone"));
    message.on("error", nothing);
  });
}
