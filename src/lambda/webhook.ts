import { tellable } from "../errors.ts";
import { failure, tryAgain } from "../http/answers.ts";
import type { EdgeAnswer, Handle } from "../http/edge-request.ts";
import type { FunctionRuntime, Opened } from "./function-runtime.ts";
import { type HttpResponse, requestFrom, responseFrom } from "./http-event.ts";
import type { LambdaContext } from "./invocation.ts";

type Name = "webhook" | "api";
type EdgeOf = (opened: Opened) => Handle;
type HttpHandler = (event: unknown, context: LambdaContext) => Promise<HttpResponse>;

/**
 * What providers and visitors call, and nothing of the API. It never throws, and answers 5xx only for our own
 * faults.
 */
export function webhookHandler(runtime: FunctionRuntime): HttpHandler {
  return handler(runtime, "webhook", ({ publicDoor }) => publicDoor);
}

/** The API and nothing else: a function of its own, because its role may list, change and erase. */
export function apiHandler(runtime: FunctionRuntime): HttpHandler {
  return handler(runtime, "api", ({ apiDoor }) => apiDoor);
}

/** HTTP behind a gateway: the same edge as everywhere. */
function handler(runtime: FunctionRuntime, name: Name, edgeOf: EdgeOf): HttpHandler {
  return (event, context) =>
    runtime.invoke(name, context, async () =>
      responseFrom(await answer(runtime, event, { name, edgeOf }), event),
    );
}

async function answer(
  runtime: FunctionRuntime,
  event: unknown,
  { name, edgeOf }: { readonly name: Name; readonly edgeOf: EdgeOf },
): Promise<EdgeAnswer> {
  try {
    const opened = await runtime.open();
    const edge = edgeOf(opened);
    const request = requestFrom(event, opened.lull.publicUrl);
    if (request) return await edge(request);
    opened.lull.log("warn", "event.unknown", { handler: name });
    return failure(
      400,
      "INVALID_PAYLOAD",
      "this is no event of API Gateway, a function URL or a load balancer",
    );
  } catch (error) {
    const reason = tellable(error);
    if (name === "api") runtime.sampled.note("error", "http.error", { area: "/api", reason });
    else runtime.sampled.note("error", "webhook.failed", { reason });
    return tryAgain();
  }
}
