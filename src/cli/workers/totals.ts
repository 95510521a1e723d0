import type { Worker } from "node:cluster";
import type { MetricName } from "../../core/metrics.ts";
import type { Log } from "../../model/log.ts";
import type { Series } from "../../model/series.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ParentMessage } from "./messages.ts";

/** A worker whose event loop is blocked does not answer: what it told last counts. */
const WITHIN_MS = 1_000;

/** What was so in the last hour: of one that is gone it would be told for ever. */
const LATELY = /^lull_\w+_lately(?:\{|$)/;

/** What the parent logs itself, and counts: it does not load the table of all events. */
export const OWN_EVENTS: Readonly<Record<string, MetricName>> = {
  "worker.died": "lull_workers_died_total",
  "worker.hung": "lull_workers_hung_total",
};

/** Adds up what all workers count. What a dead one had counted stays: no total ever falls. */
export class Totals {
  readonly #clock: Pick<Clock, "after">;
  readonly #own: Record<string, number> = {};
  readonly #latest = new Map<Worker, Series>();
  /** Node may deliver what a worker said after it told of its end. */
  readonly #over = new WeakSet<Worker>();
  readonly #open = new Map<number, { readonly from: Set<Worker>; readonly done: () => void }>();
  #gone: Series = {};
  #asked = 0;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** The parent's log, with its events counted. */
  counted(log: Log): Log {
    return (level, event, fields) => {
      const name = OWN_EVENTS[event];
      if (name !== undefined) this.#own[name] = (this.#own[name] ?? 0) + 1;
      log(level, event, fields);
    };
  }

  /** `id` is that of the question, where it is an answer to one. */
  heard(worker: Worker, series: Series, id?: number): void {
    if (!this.#over.has(worker)) this.#latest.set(worker, series);
    if (id !== undefined) this.#answered(id, worker);
  }

  left(worker: Worker): void {
    this.#over.add(worker);
    const counted = Object.entries(this.#latest.get(worker) ?? {}).filter(([name]) => !LATELY.test(name));
    this.#gone = sumOf([this.#gone, Object.fromEntries(counted)]);
    this.#latest.delete(worker);
    for (const id of [...this.#open.keys()]) this.#answered(id, worker);
  }

  /** Asks these workers for what they have counted by now. */
  async gather(workers: readonly Worker[]): Promise<Series> {
    this.#asked += 1;
    const id = this.#asked;
    const { promise, resolve: done } = Promise.withResolvers<void>();
    this.#open.set(id, { from: new Set(workers), done });
    const ask: ParentMessage = { lull: "count", id };
    for (const worker of workers) worker.send(ask, () => {});
    if (workers.length === 0) done();
    const forget = this.#clock.after(WITHIN_MS, done);
    await promise;
    forget();
    this.#open.delete(id);
    return sumOf([this.#gone, this.#own, ...this.#latest.values()]);
  }

  #answered(id: number, worker: Worker): void {
    const open = this.#open.get(id);
    open?.from.delete(worker);
    if (open?.from.size === 0) open.done();
  }
}

function sumOf(counted: readonly Series[]): Series {
  const sum = new Map<string, number>();
  for (const series of counted)
    for (const [name, value] of Object.entries(series)) sum.set(name, (sum.get(name) ?? 0) + value);
  return Object.fromEntries(sum);
}
