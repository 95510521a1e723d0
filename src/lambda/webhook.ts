import { tellable } from "../errors.ts";
import { failure } from "../http/answers.ts";
import type { EdgeAnswer, Handle } from "../http/edge-request.ts";
import type { FunctionRuntime, Opened } from "./function-runtime.ts";
import { type HttpResponse, requestFrom, responseFrom } from "./http-event.ts";
import type { LambdaContext } from "./invocation.ts";

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
function handler(runtime: FunctionRuntime, name: string, edgeOf: EdgeOf): HttpHandler {
  return (event, context) =>
    runtime.invoke(name, context, async () =>
      responseFrom(await answer(runtime, event, { name, edgeOf }), event),
    );
}

async function answer(
  runtime: FunctionRuntime,
  event: unknown,
  { name, edgeOf }: { readonly name: string; readonly edgeOf: EdgeOf },
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
    // Nothing was acknowledged: the provider is asked to come back.
    runtime.sampled.note("error", "webhook.failed", { reason: tellable(error) });
    return failure(503, "UNAVAILABLE", "not available now, try again", { "retry-after": "1" });
  }
}
