import type { AwsEngine } from "../engines/aws/index.ts";
import { ConfigError } from "../errors.ts";
import { createEdge } from "../http/edge.ts";
import type { Handle } from "../http/edge-request.ts";
import { createLull, type Lull } from "../index.ts";
import type { Log } from "../model/log.ts";
import type { EngineProvider } from "../ports/engine.ts";
import type { LullConfig } from "../runtime/config.ts";
import { SampledLog } from "../runtime/sampled-log.ts";
import { systemClock } from "../runtime/system-clock.ts";
import type { LambdaContext } from "./invocation.ts";
import { lambdaLog } from "./logger.ts";
import { type Counting, counting } from "./metrics.ts";
import { type Trace, tracing } from "./tracing.ts";
import { type Visibility, visibilityIn } from "./visibility.ts";

/** What `createLull` takes, on the engine whose queues wake functions. */
export interface LambdaConfig extends LullConfig {
  readonly engine: AwsEngine;
}

/**
 * A configuration, or how to make one when the first event comes. `log` is the function's own log, for code
 * of yours that wants to write to it.
 */
export type ConfigSource = LambdaConfig | ((log: Log) => LambdaConfig | Promise<LambdaConfig>);

export interface Opened {
  readonly lull: Lull;
  readonly visibility: Visibility;
  /** What the world may call. */
  readonly publicDoor: Handle;
  readonly apiDoor: Handle;
}

/** What stays between invocations of one warm function. */
export class FunctionRuntime {
  readonly log: Log;
  /** For what callers may cause before there is a service. */
  readonly sampled: SampledLog;
  readonly metrics: Counting;
  readonly trace: Trace;
  readonly #begin: (context: LambdaContext) => void;
  readonly #source: ConfigSource;
  #opened: Promise<Opened> | undefined;

  constructor(source: ConfigSource, env = process.env) {
    if (typeof source !== "function") requireAws(source);
    const serviceName = env.POWERTOOLS_SERVICE_NAME || "lull";
    const { log, begin } = lambdaLog(serviceName, env);
    this.metrics = counting(serviceName);
    this.log = this.metrics.counted(log);
    this.sampled = new SampledLog(this.log, systemClock);
    this.trace = tracing(serviceName, this.log, env);
    this.#begin = begin;
    this.#source = source;
  }

  /**
   * Opened at the first event. A failure is tried again at the next: a file or a table may be there by then.
   */
  open(): Promise<Opened> {
    this.#opened ??= this.#create().catch((error) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  /** One event. What was counted is written, whatever the outcome. */
  async invoke<T>(name: string, context: LambdaContext, run: () => Promise<T>): Promise<T> {
    this.#begin(context);
    try {
      return await this.trace(`## ${name}`, run);
    } finally {
      this.metrics.flush();
    }
  }

  async #create(): Promise<Opened> {
    const source = this.#source;
    const config = typeof source === "function" ? await source(this.log) : source;
    requireAws(config);
    const log = config.log && config.log !== this.log ? this.metrics.counted(config.log) : this.log;
    const lull = createLull({ ...config, log });
    return {
      lull,
      visibility: visibilityIn(config.engine, log),
      publicDoor: createEdge(lull, { serves: "public" }),
      apiDoor: createEdge(lull, { serves: "api" }),
    };
  }
}

/** The compiler says the same, to those who ask one. */
function requireAws({ engine }: { readonly engine?: Partial<EngineProvider> }): void {
  if (engine?.name === "aws" && "options" in engine) return;
  throw new ConfigError(
    "the functions run on DynamoDB and SQS alone: " +
      `engine must be aws() of lull/aws, not ${engine?.name ?? "missing"}`,
  );
}
