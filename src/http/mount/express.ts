import type { IncomingMessage, ServerResponse } from "node:http";
import { answerWith, type HostMessage, HostRequest } from "./host-request.ts";
import { type Mountable, mounted, prefixIn } from "./mounted.ts";

export type { Mountable };

/** What Express takes; Connect and NestJS on Express do, too. */
export type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Lull as a middleware of Express: `app.use("/lull", mount(lull))`, before `express.json()` and its like.
 * Without a path it takes webhooks alone and leaves every other request to those behind it. Call
 * `lull.start()` when the server starts.
 */
export function mount(lull: Mountable): Middleware {
  return (message, response, next) => {
    const { baseUrl = "" } = message as HostMessage & { readonly baseUrl?: string };
    const answering = mounted(lull, { prefix: prefixIn(baseUrl), atPrefix: "redirect" })(
      new HostRequest(message),
    );
    if (answering === undefined) next();
    else answering.then((answer) => answerWith(answer, response)).catch(next);
  };
}
