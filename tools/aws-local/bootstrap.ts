import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Context } from "aws-lambda";
import type { FromInstance, FunctionError, Invoke } from "./messages.ts";

type Handler = (event: unknown, context: Context) => unknown;

/**
 * What runs in a function instance: loads the handler once, then one event after the other, as Lambda's own
 * runtime does.
 */
const { AWS_LAMBDA_FUNCTION_NAME: name = "", AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memory = "" } = process.env;

/** The parent is gone: it will never invoke or stop this instance again. */
process.on("disconnect", () => process.exit(0));

/**
 * An uncaught error is printed whole, and ends the instance. Lambda's runtime also listens before the handler
 * is loaded.
 */
process.on("uncaughtException", (error) => {
  console.error("Uncaught Exception", error);
  process.exit(129);
});
process.on("unhandledRejection", (reason) => {
  console.error("Unhandled Promise Rejection", reason);
  process.exit(128);
});

function tell(message: FromInstance): Promise<void> {
  return new Promise((told) => process.send?.(message, () => told()));
}

/** `path/to/module.ts#handler` */
async function handlerNamed(named: string): Promise<Handler> {
  const [path = "", exported = ""] = named.split("#");
  const module = (await import(pathToFileURL(resolve(path)).href)) as Record<string, unknown>;
  if (typeof module[exported] !== "function") throw new Error(`${path} exports no function ${exported}`);
  return module[exported] as Handler;
}

function contextOf({ requestId, deadlineAtMs }: Invoke): Context {
  return {
    functionName: name,
    functionVersion: "$LATEST",
    invokedFunctionArn: `arn:aws:lambda:${process.env.AWS_REGION}:000000000000:function:${name}`,
    memoryLimitInMB: memory,
    awsRequestId: requestId,
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: `local/[$LATEST]${process.pid}`,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadlineAtMs - Date.now()),
    done: noCallback,
    fail: noCallback,
    succeed: noCallback,
  };
}

function noCallback(): never {
  throw new Error("a handler answers by its promise");
}

function errorFrom(error: unknown): FunctionError {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error) };
  return { errorType: error.name, errorMessage: error.message };
}

async function serve(handle: Handler, invoke: Invoke): Promise<void> {
  const { requestId } = invoke;
  try {
    const result = await handle(JSON.parse(invoke.event), contextOf(invoke));
    await tell({ kind: "answer", requestId, payload: JSON.stringify(result ?? null) });
  } catch (error) {
    await tell({ kind: "failed", requestId, error: errorFrom(error) });
  }
}

try {
  const handle = await handlerNamed(process.env._HANDLER ?? "");
  process.on("message", (invoke: Invoke) => void serve(handle, invoke));
  await tell({ kind: "ready" });
} catch (error) {
  console.error(error);
  await tell({ kind: "init-failed", error: errorFrom(error) });
  process.exit(1);
}
