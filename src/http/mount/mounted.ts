import { ConfigError } from "../../errors.ts";
import type { Aliases } from "../../schema/aliases.ts";
import { failure, isRead } from "../answers.ts";
import type { EdgeAnswer, EdgeRequest, Handle } from "../edge-request.ts";

/** What can be mounted in a server of another: `createLull` returns one. */
export interface Mountable {
  /** All of HTTP. */
  readonly handle: Handle;
  /** Other paths of webhooks. */
  readonly aliases: Aliases;
  /** Starts taking turns. */
  start(): Promise<void>;
  /** Takes no new work; running turns finish within `graceMs`, or go back to the store. */
  stop(graceMs?: number): Promise<void>;
}

/** Answers what is Lull's; undefined for what is the host's. */
export type Mounted = (request: EdgeRequest) => Promise<EdgeAnswer> | undefined;

interface Where {
  /** `/lull`: everything below it is ours. Empty: webhooks alone, beside what the host has at its root. */
  readonly prefix: string;
  /** Under a prefix the phone page needs the slash at its end, since it names its webhook from there. */
  readonly atPrefix: "redirect" | "explain";
}

const PREFIX = /^(?:\/[A-Za-z0-9._~-]+)*$/;
const SLASH =
  "the phone page is at this address with a slash at its end; " +
  "Next takes that away, unless next.config has skipTrailingSlashRedirect: true";

/** Where the host has put us, as a prefix of paths; empty for its root. */
export function prefixIn(at: string): string {
  const prefix = at.replace(/\/+$/, "");
  if (PREFIX.test(prefix)) return prefix;
  throw new ConfigError(`Lull cannot be mounted at ${JSON.stringify(at)}: give a path such as "/lull"`);
}

/**
 * The requests of a host that are Lull's. At the root those are webhooks and their aliases: a host has paths
 * such as `/api`, `/healthz` and `/` of its own.
 */
export function mounted(lull: Mountable, { prefix, atPrefix }: Where): Mounted {
  if (prefix === "") {
    const isOurs = (path: string) =>
      path.startsWith("/webhooks/") ||
      Object.hasOwn(lull.aliases, path.endsWith("/") ? path.slice(0, -1) : path);
    return (request) => (isOurs(request.path) ? lull.handle(request) : undefined);
  }
  return (request) => {
    if (request.path === prefix && isRead(request.method))
      return Promise.resolve(atPrefix === "redirect" ? toSlash(prefix, request) : noPage());
    return request.path.startsWith(`${prefix}/`) ? lull.handle(below(prefix, request)) : undefined;
  };
}

function noPage(): EdgeAnswer {
  return failure(404, "NOT_FOUND", SLASH);
}

/** Relative: a proxy in front may have cut something off. */
function toSlash(prefix: string, { search }: EdgeRequest): EdgeAnswer {
  const location = `${prefix.slice(prefix.lastIndexOf("/") + 1)}/${search}`;
  return { status: 307, headers: { location, "cache-control": "no-store" }, body: "" };
}

/** As it would have come to a server of our own. What stood before is part of what is signed. */
function below(prefix: string, request: EdgeRequest): EdgeRequest {
  const { method, path, search, headers, remoteAddress } = request;
  return {
    method,
    path: path.slice(prefix.length),
    search,
    get query() {
      return request.query;
    },
    headers,
    base: request.base ?? `http://${headers.host ?? "localhost"}${prefix}`,
    remoteAddress,
    body: (bytesMax, reading) => request.body(bytesMax, reading),
  };
}
