import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigError } from "../../src/errors.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import type { InvocationResult } from "./function-instance.ts";
import { eventFrom } from "./gateway-event.ts";
import type { LocalFunction } from "./local-function.ts";

/** API Gateway's own limits; none of them can be raised for an HTTP API. */
const BODY_BYTES_MAX = 10_000_000;
const INTEGRATION_MS_MAX = 30_000;

export interface Gateway {
  readonly url: string;
  /** Takes no new requests; running ones get their answer, until `cut`. */
  stop(cut: Promise<unknown>): Promise<void>;
}

export interface GatewayOptions {
  readonly port: number;
  readonly host: string;
  readonly integrationMsMax?: number;
}

/** Where requests go, by their path. */
export interface Targets {
  readonly webhook: LocalFunction;
  readonly api: LocalFunction;
}

/** API Gateway's HTTP API in front of its functions. */
export async function openGateway(targets: Targets, options: GatewayOptions): Promise<Gateway> {
  const integrationMs = options.integrationMsMax ?? INTEGRATION_MS_MAX;
  const stopping = { now: false };
  const server = createServer(async (request, response) => {
    try {
      const body = await bodyOf(request);
      if (body === "too-large") return fail(response, 413, "Request Entity Too Large");
      const late = new AbortController();
      const result = await Promise.race([
        targetOf(targets, request.url).invoke(eventFrom(request, body)),
        systemClock.sleep(integrationMs, late.signal).then(() => "late" as const),
      ]);
      late.abort();
      // A kept connection would let its caller in after all others were turned away.
      if (stopping.now) response.setHeader("connection", "close");
      if (result === "late") return fail(response, 503, "Service Unavailable");
      answer(response, result);
    } catch {
      // The caller hung up, or an answer that no HTTP server can write.
      response.destroy();
    }
  });
  server.listen(options.port, options.host);
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    const isTaken = error.code === "EADDRINUSE";
    throw isTaken ? new ConfigError(`port ${options.port} is in use; choose another one`, error) : error;
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${urlHost(options.host)}:${port}`,
    async stop(cut) {
      stopping.now = true;
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      await Promise.race([closed, cut]);
      server.closeAllConnections();
      await closed;
    },
  };
}

function targetOf({ webhook, api }: Targets, url = "/"): LocalFunction {
  return /^\/api(\/|\?|$)/.test(url) ? api : webhook;
}

function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | "too-large"> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) return "too-large";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface Structured {
  readonly statusCode: number;
  readonly headers?: Record<string, string | number | boolean>;
  readonly cookies?: string[];
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** An error of the function is not for the caller, who gets a bare 500. */
function answer(response: ServerResponse, result: InvocationResult): void {
  if (result.kind === "error") {
    fail(response, 500, "Internal Server Error");
    return;
  }
  const { payload } = result;
  if (!isStructured(payload)) {
    // What has no status is taken for the body of a success.
    const body = typeof payload === "string" ? payload : JSON.stringify(payload);
    response.writeHead(200, { "content-type": "application/json" }).end(body);
    return;
  }
  const { statusCode, headers = {}, cookies, body = "", isBase64Encoded = false } = payload;
  const plain = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  response.writeHead(statusCode, {
    "content-type": "text/plain;charset=UTF-8",
    ...Object.fromEntries(plain.map(([name = "", value = ""]) => [name.toLowerCase(), value])),
    ...(cookies && { "set-cookie": cookies }),
  });
  response.end(Buffer.from(body, isBase64Encoded ? "base64" : "utf8"));
}

function isStructured(payload: unknown): payload is Structured {
  return typeof payload === "object" && payload !== null && "statusCode" in payload;
}

function fail(response: ServerResponse, status: number, message: string): void {
  response
    .writeHead(status, { "content-type": "application/json", connection: "close" })
    .end(JSON.stringify({ message }));
}
