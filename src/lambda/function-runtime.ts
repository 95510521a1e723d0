import { createEdge } from "../http/edge.ts";
import type { Handle } from "../http/edge-request.ts";
import { createLull, type Lull } from "../index.ts";
import type { Log } from "../model/log.ts";
import type { LullConfig } from "../runtime/config.ts";
import { SampledLog } from "../runtime/sampled-log.ts";
import { systemClock } from "../runtime/system-clock.ts";
import type { LambdaContext } from "./invocation.ts";
import { lambdaLog } from "./logger.ts";
import { type Counting, counting } from "./metrics.ts";
import { type Trace, tracing } from "./tracing.ts";
import { type Visibility, visibilityIn } from "./visibility.ts";

/** A configuration, or a function that makes one at the first event. `log` is the function's own log. */
export type ConfigSource = LullConfig | ((log: Log) => LullConfig | Promise<LullConfig>);

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
