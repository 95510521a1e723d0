import { type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { ConfigError } from "../errors.ts";
import { NeverConnected } from "./connection-failure.ts";

export interface HttpCall {
  readonly method?: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** The most bytes of the answer that are read. */
  readonly answerBytesMax?: number;
  /** Whose answers are read; all where left out. Of the others the status is enough: they may never end. */
  readonly reads?: (status: number) => boolean;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Undefined where it is longer than it may be, or is not read. */
  readonly text: string | undefined;
}

export type AnswerHeaders = Pick<Headers, "get">;

/** A list of a thousand messages is 3 MB. */
export const PROVIDER_ANSWER_BYTES_MAX = 8_000_000;

/**
 * One request, one try, the whole answer. Redirects are answers: a posted message must not be posted again to
 * wherever a proxy points. Not `fetch`, whose streams cost three times as much, twice in every turn.
 * Connections are those of Node's own agents: kept alive, and through a proxy where Node is told of one.
 */
export function callHttp(url: string | URL, call: HttpCall): Promise<HttpAnswer> {
  const { method = "GET", headers, body, signal } = call;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const target = typeof url === "string" ? new URL(url) : url;
    const ask = target.protocol === "https:" ? requestHttps : requestHttp;
    const asked = ask({
      ...addressOf(target),
      method,
      headers: { ...headers, "accept-encoding": "identity" },
    });
    const giveUp = () => {
      const isConnecting = asked.socket === null || asked.socket.connecting;
      fail(isConnecting ? new NeverConnected(signal.reason) : signal.reason);
      asked.destroy();
    };
    const done = () => signal.removeEventListener("abort", giveUp);
    const fail = (error: unknown) => {
      done();
      reject(error);
    };
    signal.addEventListener("abort", giveUp);
    asked.on("error", fail);
    asked.on("response", (answer) => {
      const status = answer.statusCode ?? 0;
      const text = call.reads?.(status) === false ? unread(answer) : readText(answer, call.answerBytesMax);
      text.then((read) => {
        done();
        resolve({ status, headers: headersOf(answer), text: read });
      }, fail);
    });
    asked.end(body);
  });
}

/** The few options that a call needs: Node would take a URL apart into twice as many, and copy them about. */
function addressOf({ hostname, port, pathname, search, username, password }: URL): RequestOptions {
  // Left out without a word, they would be missed by the other side alone.
  if (username !== "" || password !== "")
    throw new ConfigError(`the URL of a call to ${hostname} names a user or a password: give it in a header`);
  return { hostname: hostname.replace(/^\[|\]$/g, ""), port, path: pathname + search };
}

async function unread(answer: IncomingMessage): Promise<undefined> {
  answer.on("error", () => {});
  answer.destroy();
}

function readText(
  answer: IncomingMessage,
  bytesMax = PROVIDER_ANSWER_BYTES_MAX,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    answer.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= bytesMax) return;
      resolve(undefined);
      // The rest is left unread, and with it the connection.
      answer.destroy();
    });
    answer.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    answer.on("error", reject);
  });
}

function headersOf({ headers }: IncomingMessage): AnswerHeaders {
  return {
    get(name) {
      const value = headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(", ") : (value ?? null);
    },
  };
}
