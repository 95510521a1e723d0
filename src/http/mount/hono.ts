import { asResponse, edgeRequest } from "../fetch.ts";
import { type Mountable, mounted, prefixIn } from "./mounted.ts";

export type { Mountable };

/** What is needed of Hono. On Node its `env` has the connection. */
export interface HonoContext {
  readonly req: { readonly raw: Request };
  readonly env: unknown;
}

/** Where it is mounted. */
export interface MountOptions {
  /** `/lull`: everything below it is Lull's. Left out: webhooks alone, beside what the host has. */
  readonly at?: string;
}

/**
 * Lull as a middleware of Hono: `app.use(mount(lull, { at: "/lull" }))`, before whatever reads bodies. Call
 * `lull.start()` when the server starts.
 */
export function mount(
  lull: Mountable,
  { at = "" }: MountOptions = {},
): (context: HonoContext, next: () => Promise<void>) => Promise<Response | undefined> {
  const ours = mounted(lull, { prefix: prefixIn(at), atPrefix: "redirect" });
  return async ({ req: { raw: request }, env }, next) => {
    const answering = ours(edgeRequest(request, callerIn(env)));
    if (answering !== undefined) return asResponse(request, await answering);
    await next();
    return undefined;
  };
}

function callerIn(env: unknown): { readonly remoteAddress?: string } {
  const { incoming } = Object(env) as { incoming?: { socket?: { remoteAddress?: string } } };
  const remoteAddress = incoming?.socket?.remoteAddress;
  return remoteAddress === undefined ? {} : { remoteAddress };
}
