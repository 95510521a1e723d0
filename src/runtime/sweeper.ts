import type { Clock } from "../ports/clock.ts";
import type { Sweeping } from "../ports/engine.ts";
import type { Log } from "../ports/log.ts";

/** Looks after what fell through: at once, then on a jittered interval, so that many workers do not sweep in step. */
export class Sweeper {
  readonly #sweeping: Sweeping;
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #random: () => number;
  readonly #log: Log;
  readonly #stopped = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(sweeping: Sweeping, clock: Clock, intervalMs: number, random: () => number, log: Log) {
    this.#sweeping = sweeping;
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#random = random;
    this.#log = log;
  }

  start(): void {
    this.#loop ??= this.#sweepOnAndOn();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
  }

  async #sweepOnAndOn(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      await this.#sweepOnce();
      await this.#clock.sleep(this.#intervalMs * (0.75 + this.#random() / 2), this.#stopped.signal);
    }
  }

  async #sweepOnce(): Promise<void> {
    try {
      const { orphans, retriggered, freed, expired, clockSetBack } = await this.#sweeping.sweep();
      if (clockSetBack) this.#log("error", "clock.set-back", { ...clockSetBack });
      if (orphans > 0) this.#log("error", "sweep.orphans", { orphans });
      if (freed > 0) this.#log("warn", "lease.stale", { freed });
      this.#log("debug", "sweep.done", { orphans, retriggered, freed, expired });
    } catch (error) {
      this.#log("error", "sweep.failed", { reason: String(error) });
    }
  }
}
