import { tellOfCrashesFirst } from "../process/crash.ts";
import { type ConfigSource, FunctionRuntime } from "./function-runtime.ts";
import type { HttpResponse } from "./http-event.ts";
import type { LambdaContext, SqsBatchResponse, SqsEvent } from "./invocation.ts";
import { sweeperHandler } from "./sweeper.ts";
import { apiHandler, webhookHandler } from "./webhook.ts";
import { workerHandler } from "./worker.ts";

export type { ConfigSource } from "./function-runtime.ts";
export type { HttpResponse } from "./http-event.ts";
export type { LambdaContext, SqsBatchResponse, SqsEvent, SqsRecord } from "./invocation.ts";

export interface LambdaHandlers {
  /**
   * Webhooks, status callbacks, the phone page: for API Gateway (HTTP and REST), function URLs and load
   * balancers.
   */
  webhook(event: unknown, context: LambdaContext): Promise<HttpResponse>;
  /** `/api`, likewise. Deploy it only where you want the API, with a role of its own. */
  api(event: unknown, context: LambdaContext): Promise<HttpResponse>;
  /** For the channel queues. The event source mapping has to report batch item failures. */
  worker(event: SqsEvent, context: LambdaContext): Promise<SqsBatchResponse>;
  /** For a schedule. */
  sweeper(event: unknown, context: LambdaContext): Promise<void>;
}

/**
 * The whole product as three Lambda functions, and a fourth for the API. Nothing is opened before the first
 * event; what is opened stays for the next.
 */
export function lambdaHandlers(config: ConfigSource): LambdaHandlers {
  const runtime = new FunctionRuntime(config);
  // Elsewhere, for example in a test, the process is not ours.
  if (process.env.AWS_LAMBDA_RUNTIME_API) tellOfCrashesFirst(runtime.log);
  return {
    webhook: webhookHandler(runtime),
    api: apiHandler(runtime),
    worker: workerHandler(runtime),
    sweeper: sweeperHandler(runtime),
  };
}
