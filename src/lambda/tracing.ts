import type { Tracer } from "@aws-lambda-powertools/tracer";
import { LullError, tellable } from "../errors.ts";
import type { Log } from "../model/log.ts";

/** Runs something as a part of the request's trace, where the request has one. */
export type Trace = <T>(
  name: string,
  run: () => Promise<T>,
  annotations?: Readonly<Record<string, string>>,
) => Promise<T>;

type Environment = Readonly<Record<string, string | undefined>>;

/** X-Ray samples requests and records only a few. */
export function isTraced(env: Environment): boolean {
  const isOff = /^(0|n|no|f|false|off)$/i.test(env.POWERTOOLS_TRACE_ENABLED?.trim() ?? "");
  return !isOff && /(?:^|;)Sampled=1(?:;|$)/.test(env._X_AMZN_TRACE_ID ?? "");
}

/**
 * The X-Ray SDK is loaded with the first traced request, so that other functions do not pay for its start.
 */
export function tracing(serviceName: string, log: Log, env: Environment = process.env): Trace {
  let loading: Promise<Tracer | undefined> | undefined;
  const load = async () => {
    try {
      const { Tracer } = await import("@aws-lambda-powertools/tracer");
      return new Tracer({ serviceName });
    } catch (error) {
      log("warn", "trace.unavailable", { reason: tellable(error) });
      return undefined;
    }
  };
  return async (name, run, annotations = {}) => {
    if (!isTraced(env)) return run();
    loading ??= load();
    const tracer = await loading;
    return tracer ? captured(tracer, name, run, annotations) : run();
  };
}

/** A failure of tracing must not change the result of the work. */
function captured<T>(
  tracer: Tracer,
  name: string,
  run: () => Promise<T>,
  annotations: Readonly<Record<string, string>>,
): Promise<T> {
  return tracer.provider.captureAsyncFunc(name, async (segment) => {
    for (const [key, value] of Object.entries(annotations)) segment?.addAnnotation(key, value);
    try {
      return await run();
    } catch (error) {
      // Without message and stack of a foreign error: traces are kept like logs.
      segment?.addError(error instanceof LullError ? error : tellable(error));
      throw error;
    } finally {
      close(segment);
    }
  }) as Promise<T>;
}

function close(segment: { close(): void } | undefined): void {
  try {
    segment?.close();
  } catch {
    // Too large to send, or no daemon listens: this part of the trace is missing.
  }
}
