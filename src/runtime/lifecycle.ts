import type { Engine } from "../ports/engine.ts";
import { Life, type Making, stopped } from "./life.ts";
import type { Worker } from "./worker.ts";

export const GRACE_MS = 25_000;

/** One life after the other: what is asked goes to the one that runs now. */
export class Lifecycle {
  readonly #making: Making;
  #life: Life;
  #stops = 0;

  constructor(making: Making) {
    this.#making = making;
    this.#life = new Life(making);
  }

  engine(): Promise<Engine> {
    return this.#life.engine();
  }

  worker(): Promise<Worker> {
    return this.#life.worker();
  }

  /** `ready` first. Rejects when somebody stops it meanwhile. */
  async start(ready: () => Promise<void>): Promise<void> {
    const asked = this.#stops;
    await ready();
    this.#assertAsked(asked);
    if (this.#life.isOver) await this.#renew(asked);
    await this.#life.start();
  }

  async stop(graceMs = GRACE_MS): Promise<void> {
    this.#stops += 1;
    await this.#life.end(graceMs);
  }

  /** What the last one still carries out ends first: two workers of one name would take each other's leases for their own. */
  async #renew(asked: number): Promise<void> {
    const last = this.#life;
    await last.end(GRACE_MS);
    this.#assertAsked(asked);
    if (this.#life === last) this.#life = new Life(this.#making);
  }

  #assertAsked(asked: number): void {
    if (this.#stops !== asked) throw stopped();
  }
}
