import type { Engine } from "../ports/engine.ts";
import { type PartFactories, ServiceRun, stopped } from "./service-run.ts";
import type { Worker } from "./worker.ts";

export const GRACE_MS = 25_000;

/** One run after the other: what is asked goes to the one that runs now. */
export class Lifecycle {
  readonly #factories: PartFactories;
  #run: ServiceRun;
  #stops = 0;

  constructor(factories: PartFactories) {
    this.#factories = factories;
    this.#run = new ServiceRun(factories);
  }

  engine(): Promise<Engine> {
    return this.#run.engine();
  }

  worker(): Promise<Worker> {
    return this.#run.worker();
  }

  /** `ready` first. Rejects if it is stopped meanwhile. */
  async start(ready: () => Promise<void>): Promise<void> {
    const asked = this.#stops;
    await ready();
    this.#assertAsked(asked);
    if (this.#run.isOver) await this.#renew(asked);
    await this.#run.start();
  }

  async stop(graceMs = GRACE_MS): Promise<void> {
    this.#stops += 1;
    await this.#run.end(graceMs);
  }

  /** The last run ends first: two workers of one name would take each other's leases for their own. */
  async #renew(asked: number): Promise<void> {
    const last = this.#run;
    await last.end(GRACE_MS);
    this.#assertAsked(asked);
    if (this.#run === last) this.#run = new ServiceRun(this.#factories);
  }

  #assertAsked(asked: number): void {
    if (this.#stops !== asked) throw stopped();
  }
}
