import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { systemClock } from "../../src/runtime/system-clock.ts";

/** What an HTTP API takes for text. Everything else arrives in base64, and forms are not on the list. */
const TEXT = /^(?:text\/|application\/(?:json|javascript|xml)\b)/i;

/** A request as API Gateway's HTTP API hands it to a function, payload format 2.0. */
export function eventFrom(request: IncomingMessage, body: Buffer): APIGatewayProxyEventV2 {
  const { pathname, search, searchParams } = new URL(request.url ?? "/", "http://local");
  const { cookie, connection: _, ...headers } = request.headers;
  const nowMs = systemClock.nowMs();
  const isText = TEXT.test(headers["content-type"] ?? "");
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: pathname,
    rawQueryString: search.slice(1),
    ...(cookie !== undefined && { cookies: cookie.split("; ") }),
    // Not `x-forwarded-for`: there it names the caller, and here the caller is on this machine.
    headers: { ...joined(headers), "x-forwarded-proto": "http", "x-amzn-trace-id": traceId(nowMs) },
    ...(search !== "" && { queryStringParameters: parametersOf(searchParams) }),
    requestContext: {
      accountId: "000000000000",
      apiId: "local",
      domainName: headers.host ?? "localhost",
      domainPrefix: "local",
      http: {
        method: request.method ?? "GET",
        path: pathname,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress?.replace(/^::ffff:/, "") ?? "",
        userAgent: headers["user-agent"] ?? "",
      },
      requestId: randomUUID(),
      routeKey: "$default",
      stage: "$default",
      time: new Date(nowMs).toISOString(),
      timeEpoch: nowMs,
    },
    ...(body.length > 0 && { body: body.toString(isText ? "utf8" : "base64") }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

function joined(headers: IncomingMessage["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

/** Several values of one name become one, with commas. */
function parametersOf(parameters: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name).join(",")]));
}

function traceId(nowMs: number): string {
  const second = Math.floor(nowMs / 1_000).toString(16);
  return `Root=1-${second}-${randomUUID().replaceAll("-", "").slice(0, 24)}`;
}
