import type { Clock } from "../../ports/clock.ts";
import type { Random } from "./random.ts";

/** Something that can be killed or frozen: a worker with everything that runs on it. */
export interface Process {
  readonly id: string;
  isDead: boolean;
  frozenUntilMs: number;
  /** How far this process's clock is ahead of the true time. */
  skewMs: number;
}

interface Happening {
  readonly atMs: number;
  /** Breaks ties between events of the same time: by lot, not by order of arrival. */
  readonly lot: number;
  readonly process: Process | undefined;
  readonly run: () => void;
  isCancelled: boolean;
}

/**
 * Virtual time. Everything that can happen is on one list; the earliest happens, ties are drawn by lot, and
 * whatever follows from it settles before the next. Nothing else in the process decides an order, so a seed
 * is enough to repeat a run.
 */
export class Scheduler {
  readonly #random: Random;
  readonly #happenings: Happening[] = [];
  #nowMs: number;
  steps = 0;

  constructor(random: Random, startAtMs: number) {
    this.#random = random;
    this.#nowMs = startAtMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  at(atMs: number, process: Process | undefined, run: () => void): () => void {
    const happening = {
      atMs: Math.max(atMs, this.#nowMs),
      lot: this.#random.next(),
      process,
      run,
      isCancelled: false,
    };
    this.#insert(happening);
    return () => {
      happening.isCancelled = true;
    };
  }

  /** Waits, as a call over a network or to a disk does. A dead process's wait never ends. */
  delay(process: Process | undefined, ms: number): Promise<void> {
    return new Promise((resolve) => this.at(this.#nowMs + ms, process, resolve));
  }

  clockOf(process: Process): Clock {
    return {
      nowMs: () => this.#nowMs + process.skewMs,
      after: (ms, run) => this.at(this.#nowMs + Math.max(0, ms), process, run),
      sleep: (ms, signal) =>
        new Promise<void>((resolve) => {
          if (signal?.aborted) return resolve();
          const done = () => {
            cancel();
            signal?.removeEventListener("abort", done);
            resolve();
          };
          const cancel = this.at(this.#nowMs + Math.max(0, ms), process, done);
          signal?.addEventListener("abort", done);
        }),
    };
  }

  /** Lets things happen until `isOver`, or until the time is up. */
  async run(isOver: () => boolean, untilMs: number): Promise<"over" | "time-is-up" | "nothing-left"> {
    for (;;) {
      await settled();
      if (isOver()) return "over";
      const next = this.#happenings.shift();
      if (!next) return "nothing-left";
      if (next.isCancelled || next.process?.isDead) continue;
      if (next.atMs > untilMs) return "time-is-up";
      if (next.process && next.process.frozenUntilMs > next.atMs) {
        this.#insert({ ...next, atMs: next.process.frozenUntilMs });
        continue;
      }
      this.#nowMs = next.atMs;
      this.steps += 1;
      next.run();
    }
  }

  #insert(happening: Happening): void {
    let low = 0;
    let high = this.#happenings.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#happenings[middle]!;
      const isBefore =
        other.atMs < happening.atMs || (other.atMs === happening.atMs && other.lot < happening.lot);
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    this.#happenings.splice(low, 0, happening);
  }
}

/**
 * Every promise that can settle now has: ticks run when the queue of settled promises is empty. A turn of the
 * event loop would cost more.
 */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
