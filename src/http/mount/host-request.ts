import type { IncomingMessage, ServerResponse } from "node:http";
import { BodyAlreadyRead } from "../body-already-read.ts";
import type { Body, EdgeAnswer } from "../edge-request.ts";
import type { Reading } from "../intake.ts";
import { NodeRequest } from "../node-request.ts";

/** What hosts leave on a request of Node's. */
export interface HostMessage extends IncomingMessage {
  /** The path as it came, where the host has cut its own prefix off `url`. */
  readonly originalUrl?: string;
  /** What a parser made of the body. */
  readonly body?: unknown;
  /** The body as it came, where the host kept it. */
  readonly rawBody?: unknown;
}

/** A request that went through a server of another before it came here. */
export class HostRequest extends NodeRequest {
  readonly #host: HostMessage;

  constructor(message: HostMessage) {
    super(message, () => {}, message.originalUrl);
    this.#host = message;
  }

  override body(bytesMax: number, reading: Reading): Promise<Body> {
    const kept = keptBody(this.#host);
    if (kept) return Promise.resolve(kept.length > bytesMax ? "too-large" : kept);
    if (this.#host.readableDidRead) return Promise.reject(new BodyAlreadyRead());
    return super.body(bytesMax, reading);
  }
}

/** The bytes as they came, which a raw parser leaves in one of two places. */
function keptBody({ rawBody, body }: HostMessage): Buffer | undefined {
  if (rawBody instanceof Buffer) return rawBody;
  return body instanceof Buffer ? body : undefined;
}

/** What is left of a body is the host's to drop. */
export function answerWith({ status, headers, body }: EdgeAnswer, response: ServerResponse): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
}
