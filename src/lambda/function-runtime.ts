import { createLull, type Lull } from "../index.ts";
import type { Log } from "../ports/log.ts";
import type { LullConfig } from "../runtime/config.ts";
import type { LambdaContext } from "./invocation.ts";
import { lambdaLog } from "./logger.ts";
import { type Counting, counting } from "./metrics.ts";

/** A configuration, or how to come by one when the first event does. `log` is the function's own, for those who want it. */
export type ConfigSource = LullConfig | ((log: Log) => LullConfig | Promise<LullConfig>);

/** What stays between invocations of one warm function. */
export class FunctionRuntime {
  readonly log: Log;
  readonly metrics: Counting;
  readonly #begin: (context: LambdaContext) => void;
  readonly #source: ConfigSource;
  #lull: Promise<Lull> | undefined;

  constructor(source: ConfigSource, env = process.env) {
    const serviceName = env.POWERTOOLS_SERVICE_NAME || "lull";
    const { log, begin } = lambdaLog(serviceName, env);
    this.metrics = counting(serviceName);
    this.log = this.metrics.counted(log);
    this.#begin = begin;
    this.#source = source;
  }

  /** Made with the first event. One that could not be made is tried again with the next: a secret may be there by then. */
  lull(): Promise<Lull> {
    this.#lull ??= this.#create().catch((error) => {
      this.#lull = undefined;
      throw error;
    });
    return this.#lull;
  }

  /** One event. What was counted is written whatever becomes of it. */
  async invoke<T>(context: LambdaContext, run: () => Promise<T>): Promise<T> {
    this.#begin(context);
    try {
      return await run();
    } finally {
      this.metrics.flush();
    }
  }

  async #create(): Promise<Lull> {
    const source = this.#source;
    const config = typeof source === "function" ? await source(this.log) : source;
    const own = config.log && config.log !== this.log ? this.metrics.counted(config.log) : this.log;
    return createLull({ ...config, log: own });
  }
}
