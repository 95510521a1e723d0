import { notFound } from "../answers.ts";
import { asResponse, edgeRequest } from "../fetch.ts";
import { type Mountable, mounted, prefixIn } from "./mounted.ts";

export { type PerProcess, perProcess } from "./per-process.ts";
export type { Mountable };

/** Where the route file stands. */
export interface MountOptions {
  /** `/lull` for `app/lull/[[...path]]/route.ts`. Left out: for `app/webhooks/[...path]/route.ts`. */
  readonly at?: string;
}

type RouteHandler = (request: Request) => Promise<Response>;

/** What a route file of Next exports, one for each method that Lull takes. */
export type RouteHandlers = Readonly<
  Record<"GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE", RouteHandler>
>;

/**
 * Lull as a route of Next's app router: `export const { GET, POST } = mount(lull)`. Start it in
 * `instrumentation.ts`. With a `basePath`, `at` begins with it.
 */
export function mount(lull: Mountable, { at = "" }: MountOptions = {}): RouteHandlers {
  const ours = mounted(lull, { prefix: prefixIn(at), atPrefix: "explain" });
  const route: RouteHandler = async (request) =>
    // Next does not tell who is connected: `/api` needs a token here.
    asResponse(request, (await ours(edgeRequest(request, {}))) ?? notFound());
  return { GET: route, HEAD: route, POST: route, PUT: route, PATCH: route, DELETE: route };
}
