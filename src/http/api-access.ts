import type { Service } from "../runtime/service.ts";
import { failure, isRead } from "./answers.ts";
import { sameSecret } from "./constant-time.ts";
import type { EdgeAnswer, EdgeRequest } from "./edge.ts";

/** What proxies and tunnels add: behind one, every caller in the world comes from loopback. */
const FORWARDED = [
  "x-forwarded-for",
  "x-forwarded-host",
  "forwarded",
  "x-real-ip",
  "cf-connecting-ip",
  "via",
];
const HOW_TO =
  "set LULL_API_TOKEN (or apiToken in the configuration) and send it as: Authorization: Bearer <token>";

/** Why a caller may not use the API, as an answer; undefined when it may. */
export async function accessRefusal(service: Service, request: EdgeRequest): Promise<EdgeAnswer | undefined> {
  if (service.apiToken === undefined) return loopbackRefusal(request);
  const token = await service.secrets.get(service.apiToken);
  if (token === "") return forbidden("the API token is empty");
  const given = /^bearer +(.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (given !== undefined && sameSecret(given.trim(), token)) return undefined;
  return failure(401, "UNAUTHORIZED", "send the API token as: Authorization: Bearer <token>", {
    "www-authenticate": `Bearer realm="lull"${given === undefined ? "" : ', error="invalid_token"'}`,
  });
}

/**
 * Without a token the API is for programs on this machine only. A browser on this machine is no such program: a page
 * it visits may point its own name at 127.0.0.1 (told by Host), or post a form here (told by Origin).
 */
function loopbackRefusal(request: EdgeRequest): EdgeAnswer | undefined {
  const { headers, method, remoteAddress } = request;
  if (!isLoopbackAddress(remoteAddress)) return forbidden("without a token the API answers on loopback only");
  if (FORWARDED.some((name) => headers[name] !== undefined)) {
    return forbidden("without a token the API does not answer through a proxy");
  }
  if (!isLoopbackHost(headers.host)) return forbidden("without a token the API answers to localhost only");
  if (!isRead(method) && headers.origin !== undefined && !isOwnOrigin(headers.origin, headers.host)) {
    return forbidden("another page may not change anything here");
  }
  return undefined;
}

function forbidden(why: string): EdgeAnswer {
  return failure(403, "FORBIDDEN", `${why}; ${HOW_TO}`);
}

export function isLoopbackAddress(address: string | undefined): boolean {
  return address === "::1" || isLoopback4(address?.replace(/^::ffff:/i, ""));
}

export function isLoopbackHost(host: string | undefined): boolean {
  const name = host?.toLowerCase().replace(/:\d+$/, "");
  return name === "localhost" || name === "[::1]" || isLoopback4(name);
}

function isLoopback4(address: string | undefined): boolean {
  return address !== undefined && /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address);
}

function isOwnOrigin(origin: string, host: string | undefined): boolean {
  // Compared whole, with the port: another service on this machine is another origin.
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
