import { amountOf, EVENT_METRICS, type EventMetric, secondsOf } from "../core/event-metrics.ts";
import { BUCKETS, type MetricName, seriesName } from "../core/metrics.ts";
import type { Log, LogFields } from "../model/log.ts";
import type { Series } from "../model/series.ts";
import { LastHour } from "./last-hour.ts";

/** What one event adds to a metric has no more series than that, whatever the event says. */
const SERIES_MAX = 100;
/** For each configured channel, where series are told apart by channel: there may be many tenants. */
const SERIES_PER_CHANNEL_MAX = 20;
const OTHER = "other";

export interface CountersOptions {
  /** Names that a `channel` may have. Any other is from the URL of a caller who proves nothing. */
  readonly channels: readonly string[];
  /** When the service started that this process is a part of. */
  readonly startedAtMs: number;
  readonly nowMs: () => number;
}

interface Counter {
  count(fields: LogFields): void;
}

/** One series. Events of different names may add to the same. */
interface Slot {
  readonly value: number;
  add(amount: number): void;
}

class Total implements Slot {
  value = 0;

  add(amount: number): void {
    this.value += amount;
  }
}

/** Counts log events in this process. */
export class Counters {
  readonly #slots = new Map<string, Slot>();
  readonly #histograms = new Map<MetricName, Histogram>();
  readonly #byEvent: ReadonlyMap<string, readonly Counter[]>;
  /** Metrics that had to fold series, and whether that is in the log. */
  readonly #folded = new Map<MetricName, "new" | "told">();
  readonly #nowMs: () => number;
  #version = 0;

  constructor(options: CountersOptions) {
    const channels = new Set(options.channels);
    const { startedAtMs } = options;
    this.#nowMs = options.nowMs;
    const slotOf = (series: string, isLately: boolean) => this.#slotOf(series, isLately);
    const folded = (metric: MetricName) => {
      this.#slotOf(seriesName("lull_events_folded_total", { metric })).add(1);
      this.#folded.set(metric, this.#folded.get(metric) ?? "new");
    };
    const counterOf = (each: EventMetric): Counter =>
      each.observes === undefined
        ? new EventCounter(each, { channels, startedAtMs, slotOf, folded })
        : this.#histogramOf(each);
    this.#byEvent = new Map(
      [...EVENT_METRICS].map(([event, metrics]) => [event, metrics.map(counterOf)] as const),
    );
  }

  /** Grows with every event that is counted. */
  get version(): number {
    return this.#version;
  }

  /** The same log, with its events counted whatever its level. */
  counted(log: Log): Log {
    return (level, event, fields) => {
      const counters = this.#byEvent.get(event);
      if (counters !== undefined) {
        this.#version += 1;
        for (const counter of counters) counter.count(fields ?? {});
      }
      log(level, event, fields);
      if (counters !== undefined && this.#folded.size > 0) this.#tellFolded(log);
    };
  }

  series(): Series {
    const series: Record<string, number> = {};
    for (const [name, { value }] of this.#slots) series[name] = value;
    for (const histogram of this.#histograms.values()) histogram.writeTo(series);
    return series;
  }

  /** An alert on one of these series no longer sees what it should: told once for each metric. */
  #tellFolded(log: Log): void {
    for (const [metric, state] of this.#folded) {
      if (state === "told") continue;
      this.#folded.set(metric, "told");
      log("warn", "metrics.folded", { metric });
    }
  }

  #slotOf(series: string, isLately = false): Slot {
    const slot = this.#slots.get(series) ?? (isLately ? new LastHour(this.#nowMs) : new Total());
    this.#slots.set(series, slot);
    return slot;
  }

  #histogramOf(each: EventMetric): Histogram {
    const histogram = new Histogram(each);
    this.#histograms.set(each.metric, histogram);
    return histogram;
  }
}

interface Surroundings {
  readonly channels: ReadonlySet<string>;
  readonly startedAtMs: number;
  readonly slotOf: (series: string, isLately: boolean) => Slot;
  readonly folded: (metric: MetricName) => void;
}

/** What one event adds to one metric. Series are found by the fields themselves: most events are of a few. */
class EventCounter implements Counter {
  readonly #each: EventMetric;
  readonly #around: Surroundings;
  readonly #known = new Map<string, Slot>();
  readonly #only: Slot | undefined;
  readonly #seriesMax: number;

  constructor(each: EventMetric, around: Surroundings) {
    this.#each = each;
    this.#around = around;
    const ofChannels = each.labels?.includes("channel") ? around.channels.size * SERIES_PER_CHANNEL_MAX : 0;
    this.#seriesMax = Math.max(SERIES_MAX, ofChannels);
    // Its one series is known: from 0 on, so that the first event is seen as an increase.
    if (!each.labels) this.#only = this.#slotOf(seriesName(each.metric, each.fixed));
  }

  count(fields: LogFields): void {
    const { with: needed, before } = this.#each;
    if (needed !== undefined && fields[needed] === undefined) return;
    if (before !== undefined && !(Number(fields[before]) < this.#around.startedAtMs)) return;
    (this.#only ?? this.#slotFor(fields)).add(amountOf(this.#each, fields));
  }

  #slotOf(series: string): Slot {
    return this.#around.slotOf(series, this.#each.lately === true);
  }

  #slotFor(fields: LogFields): Slot {
    const values = (this.#each.labels ?? []).map((label) => this.#valueOf(label, fields));
    const key = values.length === 1 ? values[0]! : values.join("\n");
    const slot = this.#known.get(key);
    if (slot) return slot;
    const isFull = this.#known.size >= this.#seriesMax;
    if (isFull) this.#around.folded(this.#each.metric);
    const made = this.#slotOf(this.#seriesOf(isFull ? values.map(() => OTHER) : values));
    if (!isFull) this.#known.set(key, made);
    return made;
  }

  #valueOf(label: string, fields: LogFields): string {
    const value = fields[label];
    if (typeof value !== "string") return OTHER;
    return label === "channel" && !this.#around.channels.has(value) ? OTHER : value;
  }

  #seriesOf(values: readonly string[]): string {
    const { metric, labels = [], fixed } = this.#each;
    const named = Object.fromEntries(labels.map((label, at) => [label, values[at]!]));
    return seriesName(metric, { ...named, ...fixed });
  }
}

class Histogram implements Counter {
  readonly #each: EventMetric;
  /** How many were longer than the end before, and no longer than this one; the last: longer than all. */
  readonly #buckets = new Array<number>(BUCKETS.length + 1).fill(0);
  #sum = 0;

  constructor(each: EventMetric) {
    this.#each = each;
  }

  count(fields: LogFields): void {
    const seconds = secondsOf(this.#each, fields);
    if (seconds === undefined) return;
    const at = BUCKETS.findIndex((end) => seconds <= end);
    this.#buckets[at < 0 ? BUCKETS.length : at]! += 1;
    this.#sum += seconds;
  }

  writeTo(series: Record<string, number>): void {
    const { metric } = this.#each;
    let count = 0;
    for (const [at, bucket] of this.#buckets.entries()) {
      count += bucket;
      const le = at < BUCKETS.length ? String(BUCKETS[at]) : "+Inf";
      series[seriesName(`${metric}_bucket`, { le })] = count;
    }
    series[`${metric}_sum`] = this.#sum;
    series[`${metric}_count`] = count;
  }
}
