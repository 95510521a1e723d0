import { StoreUnavailable } from "../errors.ts";
import type { Engine } from "../ports/engine.ts";
import { Readiness, type ReadinessContext } from "./readiness.ts";
import type { Sweeper } from "./sweeper.ts";
import type { Worker } from "./worker.ts";

/** How a run gets what it needs. */
export interface RunParts extends Omit<ReadinessContext, "engine"> {
  readonly engine: (onArmed: (dueAtMs: number) => void) => Promise<Engine>;
  readonly worker: (engine: Engine) => Worker;
  readonly sweeper: (engine: Engine) => Sweeper;
}

/**
 * From the first use of a service to its `stop`: one engine, one worker, one sweeper. They end together and
 * are never used again: a stopped worker looks for nothing, so messages that its engine still took in would
 * wait without a worker. What was known of its readiness ends with it, too.
 */
export class ServiceRun {
  readonly #parts: RunParts;
  readonly #readiness: Readiness;
  #isOver = false;
  #engine: Promise<Engine> | undefined;
  #worker: Worker | undefined;
  #sweeper: Sweeper | undefined;
  #starting: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#readiness = new Readiness({ ...parts, engine: () => this.engine() });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Opened on first use. Rejects from `end` on. */
  engine(): Promise<Engine> {
    if (this.#isOver) return Promise.reject(stopped());
    // The same promise for every webhook: one that is made anew costs a microsecond.
    this.#engine ??= this.#open().catch((error) => {
      // The next caller tries again: a disk that was full may have room by then.
      this.#engine = undefined;
      throw error;
    });
    return this.#engine;
  }

  async #open(): Promise<Engine> {
    return this.#parts.engine((dueAtMs) => this.#worker?.nudge(dueAtMs));
  }

  async worker(): Promise<Worker> {
    const engine = await this.engine();
    this.#assertGoesOn();
    this.#worker ??= this.#parts.worker(engine);
    return this.#worker;
  }

  async ready(): Promise<void> {
    this.#assertGoesOn();
    await this.#readiness.get();
  }

  start(): Promise<void> {
    this.#readiness.forget();
    this.#starting = this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    const engine = await this.engine();
    // On a read-only store we would listen and refuse every message. Fail before the caller is told that we
    // listen.
    await engine.ping();
    (await this.worker()).start();
    this.#sweeper ??= this.#parts.sweeper(engine);
    this.#sweeper.start();
  }

  /** Asked twice, the shorter grace counts. */
  async end(graceMs: number): Promise<void> {
    this.#isOver = true;
    // It may still be opening: what it opened has to be closed.
    await this.#starting?.catch(() => {});
    await Promise.all([this.#worker?.stop(graceMs), this.#sweeper?.stop()]);
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #close(): Promise<void> {
    // What could not be opened need not be closed.
    const engine = await this.#engine?.catch(() => undefined);
    await engine?.close();
  }

  #assertGoesOn(): void {
    if (this.#isOver) throw stopped();
  }
}

export function stopped(): StoreUnavailable {
  return new StoreUnavailable("the service was stopped");
}
