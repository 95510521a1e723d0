import { tellable } from "../errors.ts";
import type { Log } from "../model/log.ts";
import type { Clock } from "../ports/clock.ts";
import type { Sweeping } from "../ports/engine.ts";
import { RepeatedFailures } from "./repeated-failures.ts";
import { tellSweep } from "./tell-sweep.ts";

/** Between two rounds of which the first had more to do, so that other writers get in between. */
const PAUSE_MS = 10;
/** Rounds without a rest. A store in order needs far fewer. */
const ROUNDS_MAX = 1_000;

/**
 * Finds work that fell through: at once, then on a jittered interval, so that many workers do not sweep in
 * step.
 */
export class Sweeper {
  readonly #sweeping: Sweeping;
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #random: () => number;
  readonly #log: Log;
  readonly #failures = new RepeatedFailures();
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
      await this.#sweepAll();
      await this.#clock.sleep(this.#intervalMs * (0.75 + this.#random() / 2), this.#stopped.signal);
    }
  }

  /**
   * Sweeps until there is no more. One round is small, so that writers do not wait for it; all rounds
   * together have to keep pace with what comes in.
   */
  async #sweepAll(): Promise<void> {
    for (let round = 1; (await this.#sweepOnce()) && round < ROUNDS_MAX; round += 1) {
      await this.#clock.sleep(PAUSE_MS, this.#stopped.signal);
      if (this.#stopped.signal.aborted) return;
    }
  }

  /**
   * True when there is more. A round that failed counts as having none: it is tried again at the next
   * interval.
   */
  async #sweepOnce(): Promise<boolean> {
    try {
      const report = await this.#sweeping.sweep();
      tellSweep(this.#log, report);
      return report.hasMore ?? false;
    } catch (error) {
      const reason = tellable(error);
      const failures = this.#failures.note(reason, this.#clock.nowMs());
      if (failures !== undefined) this.#log("error", "sweep.failed", { reason, failures });
      return false;
    }
  }
}
