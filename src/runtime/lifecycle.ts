import type { Engine } from "../ports/engine.ts";
import type { ChannelFitness } from "./channel-fitness.ts";
import type { RetryLog } from "./retry-log.ts";
import type { SampledLog } from "./sampled-log.ts";
import { type RunParts, ServiceRun, stopped } from "./service-run.ts";
import type { Worker } from "./worker.ts";

const GRACE_MS = 25_000;

interface LifecycleParts extends RunParts {
  readonly fitness: Pick<ChannelFitness, "require">;
  readonly sampled: Pick<SampledLog, "flush">;
  readonly retries: Pick<RetryLog, "flush">;
}

/** One run after the other: what is asked goes to the one that runs now. */
export class Lifecycle {
  readonly #parts: LifecycleParts;
  #run: ServiceRun;
  #stopping = new AbortController();

  constructor(parts: LifecycleParts) {
    this.#parts = parts;
    this.#run = new ServiceRun(parts);
  }

  engine(): Promise<Engine> {
    return this.#run.engine();
  }

  worker(): Promise<Worker> {
    return this.#run.worker();
  }

  ready(): Promise<void> {
    return this.#run.ready();
  }

  /** Its channels are looked at before anything is opened. Rejects if it is stopped meanwhile. */
  async start(): Promise<void> {
    const { signal } = this.#stopping;
    await this.#parts.fitness.require();
    // The last run ends first: two workers of one name would take each other's leases for their own.
    if (this.#run.isOver) await this.#run.end(GRACE_MS);
    signal.throwIfAborted();
    // Several starts wait for one end, and the first of them has renewed it.
    if (this.#run.isOver) this.#run = new ServiceRun(this.#parts);
    await this.#run.start();
  }

  /** What was refused or failed during its last turns is told as well. */
  async stop(graceMs = GRACE_MS): Promise<void> {
    this.#stopping.abort(stopped());
    this.#stopping = new AbortController();
    await this.#run.end(graceMs);
    this.#parts.sampled.flush();
    this.#parts.retries.flush();
  }
}
