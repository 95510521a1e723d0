import { LullError } from "../../errors.ts";
import type { Series } from "../../model/series.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Counters } from "../../runtime/counters.ts";
import { isCount, isTotals, tellParent } from "./messages.ts";

/** Longer than the parent waits for a worker that does not answer. */
const WITHIN_MS = 3_000;

/** What a worker tells its parent of what it counts, and asks it for all workers. */
export class Counts {
  readonly #clock: Pick<Clock, "after">;
  readonly #open = new Map<number, (series: Series) => void>();
  #own: Pick<Counters, "series" | "version"> | undefined;
  #told = 0;
  #asked = 0;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
    process.on("message", (message) => {
      if (isCount(message)) void tellParent({ lull: "counts", id: message.id, series: this.#series() });
      if (isTotals(message)) this.#open.get(message.id)?.(message.series);
    });
  }

  /** From there on something is counted. */
  of(counters: Pick<Counters, "series" | "version">): void {
    this.#own = counters;
  }

  /** What was counted, unless the parent knows: what a worker that is killed had not told is lost. */
  news(): Series | undefined {
    return this.#own && this.#own.version !== this.#told ? this.#series() : undefined;
  }

  /** Of all workers. Never of this one alone: a total that falls looks like a start of the service. */
  totals(): Promise<Series> {
    this.#asked += 1;
    const id = this.#asked;
    const { promise, resolve, reject } = Promise.withResolvers<Series>();
    this.#open.set(id, resolve);
    const forget = this.#clock.after(WITHIN_MS, () => reject(unanswered()));
    void tellParent({ lull: "total", id });
    return promise.finally(() => {
      forget();
      this.#open.delete(id);
    });
  }

  #series(): Series {
    this.#told = this.#own?.version ?? 0;
    return this.#own?.series() ?? {};
  }
}

function unanswered(): LullError {
  const words = "the parent does not tell what all workers counted";
  return new LullError(words, { code: "UNAVAILABLE", retry: "later" });
}
