import type { Body, EdgeAnswer, EdgeRequest } from "../http/edge-request.ts";
import { isObject } from "../schema/is-object.ts";
import { isLoopbackAddress } from "../wire/request-origin.ts";

/** What a gateway turns into its answer; both versions of the payload and load balancers read this form. */
export interface HttpResponse {
  statusCode: number;
  headers: Record<string, string>;
  multiValueHeaders?: Record<string, string[]>;
  body: string;
  isBase64Encoded: boolean;
}

/** Its body came whole, within a gateway's limits: no caller can hold anything open here. */
export interface GatewayRequest extends EdgeRequest {
  body(bytesMax: number): Promise<Body>;
}

type Fields = Readonly<Record<string, unknown>>;

/** What each payload version says in its own way. */
interface GatewayFields {
  readonly method: string;
  /** Without the stage. */
  readonly path: string;
  /** What stands before the path where the gateway is called by its own name: `/prod`. */
  readonly stage: string;
  readonly search: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sourceIp: string | undefined;
}

/**
 * A request from an event of API Gateway (HTTP and REST), a function URL or a load balancer; undefined when
 * it is none of them. Events come from outside: no field is trusted to have its documented type.
 */
export function requestFrom(event: unknown, publicUrl: string | undefined): GatewayRequest | undefined {
  if (!isObject(event)) return undefined;
  const context = fieldsIn(event, "requestContext");
  const given = isObject(context.http)
    ? fieldsOfVersion2(event, context)
    : typeof event.httpMethod === "string"
      ? fieldsOfVersion1(event, context)
      : undefined;
  if (given === undefined) return undefined;
  const { method, path, search, headers, sourceIp } = given;
  return {
    method: method.toUpperCase(),
    path: withoutPublicPrefix(path, publicUrl),
    search,
    get query() {
      return new URLSearchParams(search);
    },
    headers,
    base: baseOf(given, context),
    // A gateway stands in between: a loopback address is no proof that the caller is on our machine.
    remoteAddress: isLoopbackAddress(sourceIp) ? undefined : sourceIp,
    body: async (bytesMax) => {
      const body = bodyOf(event);
      return body.length > bytesMax ? "too-large" : body;
    },
  };
}

export function responseFrom({ status, headers, body }: EdgeAnswer, event: unknown): HttpResponse {
  return {
    statusCode: status,
    headers,
    // A load balancer configured for lists reads nothing else.
    ...(hasOnlyLists(event) && {
      multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    }),
    body,
    isBase64Encoded: false,
  };
}

function hasOnlyLists(event: unknown): boolean {
  return isObject(event) && isObject(event.multiValueHeaders) && !isObject(event.headers);
}

function fieldsOfVersion2(event: Fields, context: Fields): GatewayFields {
  const http = fieldsIn(context, "http");
  const raw = textIn(event, "rawPath") ?? textIn(http, "path") ?? "/";
  const query = textIn(event, "rawQueryString") ?? "";
  const cookies = Array.isArray(event.cookies) ? event.cookies.filter(isText) : [];
  return {
    method: textIn(http, "method") ?? "GET",
    ...withoutStage(raw, textIn(context, "stage")),
    search: query === "" ? "" : `?${query}`,
    headers: {
      ...headersOf(event),
      ...(cookies.length > 0 && { cookie: cookies.join("; ") }),
    },
    sourceIp: textIn(http, "sourceIp"),
  };
}

function fieldsOfVersion1(event: Fields, context: Fields): GatewayFields {
  const path = textIn(event, "path") ?? "/";
  const stage = textIn(context, "stage");
  // A REST API leaves the stage out of the path and gives the whole in its context.
  const isStageless = stage !== undefined && textIn(context, "path") === `/${stage}${path}`;
  return {
    method: String(event.httpMethod),
    ...(isStageless ? { path, stage: `/${stage}` } : withoutStage(path, stage)),
    search: searchOf(event, { isEncoded: isObject(context.elb) }),
    headers: headersOf(event),
    sourceIp: textIn(fieldsIn(context, "identity"), "sourceIp"),
  };
}

/** An HTTP API with a named stage has it at the head of every path. */
function withoutStage(raw: string, stage: string | undefined): Pick<GatewayFields, "path" | "stage"> {
  const path = raw.startsWith("/") ? raw : `/${raw}`;
  const prefix = `/${stage}`;
  const isStaged = stage !== undefined && stage !== "$default" && isUnder(path, prefix);
  return isStaged ? { path: path.slice(prefix.length) || "/", stage: prefix } : { path, stage: "" };
}

/** A custom domain may put the API under a path; its public URL then says which. */
function withoutPublicPrefix(path: string, publicUrl: string | undefined): string {
  const prefix = URL.parse(publicUrl ?? "")?.pathname.replace(/\/+$/, "") ?? "";
  return prefix !== "" && isUnder(path, prefix) ? path.slice(prefix.length) || "/" : path;
}

function isUnder(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** The URL as the caller saw it, up to the path. A custom domain shows no stage. */
function baseOf({ headers, stage }: GatewayFields, context: Fields): string {
  const domain = textIn(context, "domainName");
  const host = headers.host ?? domain ?? "localhost";
  const isOwnDomain = domain !== undefined && !/\.execute-api\.|^localhost\b|^127\./.test(domain);
  const scheme = headers["x-forwarded-proto"] === "http" ? "http" : "https";
  return `${scheme}://${host}${isOwnDomain ? "" : stage}`;
}

function headersOf(event: Fields): Record<string, string> {
  const single = Object.entries(fieldsIn(event, "headers")).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const several = Object.entries(fieldsIn(event, "multiValueHeaders")).flatMap(([name, values]) =>
    Array.isArray(values) ? [[name, values.filter(isText)] as const] : [],
  );
  return Object.fromEntries([
    ...single.map(([name, value]) => [name.toLowerCase(), value] as const),
    ...several.map(([name, values]) => [name.toLowerCase(), joined(name.toLowerCase(), values)] as const),
  ]);
}

function joined(name: string, values: readonly string[]): string {
  return values.join(name === "cookie" ? "; " : ", ");
}

/** API Gateway hands parameters over decoded, a load balancer as they came. */
function searchOf(event: Fields, { isEncoded }: { isEncoded: boolean }): string {
  const single = Object.entries(fieldsIn(event, "queryStringParameters")).map(
    ([name, value]) => [name, [value]] as const,
  );
  const several = Object.entries(fieldsIn(event, "multiValueQueryStringParameters"));
  const encode = isEncoded ? (text: string) => text : encoded;
  const pairs = (several.length > 0 ? several : single).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : []).filter(isText).map((value) => `${encode(name)}=${encode(value)}`),
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** Half a surrogate pair cannot be encoded, and would throw. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** The bytes as they were sent: signatures are made over them. */
function bodyOf(event: Fields): Buffer {
  return Buffer.from(textIn(event, "body") ?? "", event.isBase64Encoded === true ? "base64" : "utf8");
}

function fieldsIn(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isObject(value) ? value : {};
}

function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
