import { tellable } from "../errors.ts";
import { failure } from "../http/answers.ts";
import type { EdgeAnswer } from "../http/edge.ts";
import type { FunctionRuntime } from "./function-runtime.ts";
import { type HttpResponse, requestFrom, responseFrom } from "./http-event.ts";
import type { LambdaContext } from "./invocation.ts";

/** HTTP behind a gateway: the same edge as everywhere. It never throws, and answers 5xx only for what is our fault. */
export function webhookHandler(runtime: FunctionRuntime) {
  return (event: unknown, context: LambdaContext): Promise<HttpResponse> =>
    runtime.invoke("webhook", context, async () => responseFrom(await answer(runtime, event), event));
}

async function answer(runtime: FunctionRuntime, event: unknown): Promise<EdgeAnswer> {
  try {
    const { lull } = await runtime.open();
    const request = requestFrom(event, lull.publicUrl);
    if (request) return await lull.handle(request);
    lull.log("warn", "event.unknown", { handler: "webhook" });
    return failure(
      400,
      "INVALID_PAYLOAD",
      "this is no event of API Gateway, a function URL or a load balancer",
    );
  } catch (error) {
    // Nothing was acknowledged: the provider is asked to come back.
    runtime.log("error", "webhook.failed", {
      reason: tellable(error),
    });
    return failure(503, "UNAVAILABLE", "not available now, try again", { "retry-after": "1" });
  }
}
