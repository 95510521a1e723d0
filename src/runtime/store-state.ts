import { StoreUnavailable } from "../errors.ts";
import type { Log } from "../model/log.ts";
import type { Clock } from "../ports/clock.ts";
import type { Engine, Sweeping } from "../ports/engine.ts";

/** Whether the store takes writes, as its writers last saw. Failures are logged where they happen. */
export class StoreState {
  readonly #log: Log;
  readonly #clock: Clock;
  #awaySinceAtMs: number | undefined;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  get isAway(): boolean {
    return this.#awaySinceAtMs !== undefined;
  }

  failed(): void {
    this.#awaySinceAtMs ??= this.#clock.nowMs();
  }

  /** Something was written. */
  worked(): void {
    if (this.#awaySinceAtMs === undefined) return;
    const sinceAtMs = this.#awaySinceAtMs;
    this.#awaySinceAtMs = undefined;
    this.#log("warn", "store.back", { sinceAtMs, forMs: this.#clock.nowMs() - sinceAtMs });
  }
}

/**
 * The same sweeps, which also ask a store that was away whether it takes writes again: while no
 * message comes, nothing else is written.
 */
export function sweepingAndAsking(engine: Pick<Engine, "sweeping" | "ping">, state: StoreState): Sweeping {
  return {
    freeLeases: (holder) => engine.sweeping.freeLeases(holder),
    async sweep() {
      try {
        const report = await engine.sweeping.sweep();
        if (state.isAway) await engine.ping().then(() => state.worked());
        return report;
      } catch (error) {
        if (error instanceof StoreUnavailable) state.failed();
        throw error;
      }
    },
  };
}
