import {
  type Environment,
  FunctionInstance,
  type Invocation,
  type InvocationResult,
} from "./function-instance.ts";

export interface FunctionOptions {
  readonly name: string;
  /** `path/to/module.ts#handler` */
  readonly handler: string;
  readonly env: Environment;
  readonly timeoutMs: number;
  /** Events beyond these wait in line. Lambda would refuse them, but only behind a thousand others. */
  readonly instancesMax: number;
  /** A line that an instance wrote, with a number that tells instances apart. */
  readonly write: (line: string, instance: number) => void;
  /** More for one instance alone: how a test tells whose requests it sees. */
  readonly envOf?: (instance: number) => Promise<Environment>;
}

/** One function: as many instances as there are events at once, up to a limit. */
export class LocalFunction {
  readonly name: string;
  readonly #options: FunctionOptions;
  readonly #instances = new Map<number, FunctionInstance>();
  readonly #idle: number[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #running = new Set<Promise<unknown>>();
  #started = 0;
  #alive = 0;

  constructor(options: FunctionOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** Alive, by number. */
  get instances(): ReadonlyMap<number, FunctionInstance> {
    return this.#instances;
  }

  /** Those that work on an event now. */
  get busy(): FunctionInstance[] {
    return [...this.#instances.values()].filter(({ event, isDead }) => event !== undefined && !isDead);
  }

  /** Starts an instance before its first event. Throws when the function cannot be loaded. */
  async warmUp(): Promise<void> {
    const number = await this.#start();
    const error = await this.#instances.get(number)?.ready();
    if (error) throw new Error(`function ${this.name} does not start: ${error.errorMessage}`);
    this.#release(number);
  }

  invoke(event: unknown): Promise<InvocationResult> {
    const run = this.#invoke({ event, timeoutMs: this.#options.timeoutMs }).finally(() =>
      this.#running.delete(run),
    );
    this.#running.add(run);
    return run;
  }

  /** For when no more events come: running ones end by themselves, or by `cut`. */
  async stop(cut: Promise<unknown>): Promise<void> {
    await Promise.race([Promise.allSettled(this.#running), cut]);
    const all = [...this.#instances.values()];
    for (const instance of all) instance.kill();
    await Promise.all(all.map((instance) => instance.gone()));
  }

  async #invoke(invocation: Invocation): Promise<InvocationResult> {
    const number = await this.#free();
    const instance = this.#instances.get(number)!;
    const result = await instance.invoke(invocation);
    this.#release(number);
    return result;
  }

  /** The one that was used last: the others may go cold. */
  async #free(): Promise<number> {
    for (;;) {
      const number = this.#idle.pop();
      if (number !== undefined && this.#instances.get(number)?.isDead === false) return number;
      if (number !== undefined) continue;
      if (this.#alive < this.#options.instancesMax) return this.#start();
      await new Promise<void>((free) => this.#waiting.push(free));
    }
  }

  async #start(): Promise<number> {
    const { handler, write, envOf } = this.#options;
    this.#alive += 1;
    this.#started += 1;
    const number = this.#started;
    const env = { ...this.#options.env, ...(await envOf?.(number)) };
    const instance = new FunctionInstance({ handler, env, write: (line) => write(line, number) });
    this.#instances.set(number, instance);
    void instance.gone().then(() => {
      this.#instances.delete(number);
      this.#alive -= 1;
      this.#waiting.shift()?.();
    });
    return number;
  }

  #release(number: number): void {
    if (this.#instances.get(number)?.isDead === false) this.#idle.push(number);
    this.#waiting.shift()?.();
  }
}
