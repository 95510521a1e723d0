import { tellable } from "../errors.ts";
import type { Log } from "../model/log.ts";
import type { Settings } from "../model/settings.ts";
import type { Clock } from "../ports/clock.ts";
import type { Sweeping } from "../ports/engine.ts";
import { RepeatedFailures } from "./repeated-failures.ts";
import { tellSweep } from "./tell-sweep.ts";

/** Between two rounds of which the first had more to do, so that other writers get in between. */
const PAUSE_MS = 10;
/** Rounds without a rest. A store in order needs far fewer. */
const ROUNDS_MAX = 1_000;

interface SweeperContext {
  readonly clock: Clock;
  readonly settings: Pick<Settings, "sweepMs">;
  readonly random: () => number;
  readonly log: Log;
}

/**
 * Finds work that fell through: at once, then on a jittered interval, so that many workers do not sweep in
 * step.
 */
export class Sweeper {
  readonly #sweeping: Sweeping;
  readonly #context: SweeperContext;
  readonly #failures = new RepeatedFailures();
  readonly #stopped = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(sweeping: Sweeping, context: SweeperContext) {
    this.#sweeping = sweeping;
    this.#context = context;
  }

  start(): void {
    this.#loop ??= this.#sweepOnAndOn();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
  }

  async #sweepOnAndOn(): Promise<void> {
    const { clock, settings, random } = this.#context;
    while (!this.#stopped.signal.aborted) {
      await this.#sweepAll();
      await clock.sleep(settings.sweepMs * (0.75 + random() / 2), this.#stopped.signal);
    }
  }

  /**
   * Sweeps until there is no more. One round is small, so that writers do not wait for it; all rounds
   * together have to keep pace with what comes in.
   */
  async #sweepAll(): Promise<void> {
    for (let round = 1; (await this.#sweepOnce()) && round < ROUNDS_MAX; round += 1) {
      await this.#context.clock.sleep(PAUSE_MS, this.#stopped.signal);
      if (this.#stopped.signal.aborted) return;
    }
  }

  /**
   * True when there is more. A round that failed counts as having none: it is tried again at the next
   * interval.
   */
  async #sweepOnce(): Promise<boolean> {
    const { clock, log } = this.#context;
    try {
      const report = await this.#sweeping.sweep();
      tellSweep(log, report);
      return report.hasMore;
    } catch (error) {
      const reason = tellable(error);
      const failures = this.#failures.note(reason, clock.nowMs());
      if (failures !== undefined) log("error", "sweep.failed", { reason, failures });
      return false;
    }
  }
}
