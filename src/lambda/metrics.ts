import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import { amountOf, EVENT_METRICS, secondsOf } from "../core/event-metrics.ts";
import type { Log, LogFields } from "../model/log.ts";

const NAMESPACE = "Lull";

export interface Counting {
  /** The same log, with its events counted whatever its level. */
  counted(log: Log): Log;
  gauge(name: string, unit: "Count" | "Seconds", value: number): void;
  /** Writes what was counted since the last time: one line on stdout, which CloudWatch makes metrics of. */
  flush(): void;
}

export function counting(serviceName: string): Counting {
  const metrics = new Metrics({ namespace: NAMESPACE, serviceName });
  const counts = new Map<string, number>();
  const count = (event: string, fields?: LogFields) => {
    for (const each of EVENT_METRICS.get(event) ?? []) {
      const { cloudWatch: name, observes } = each;
      if (name === undefined) continue;
      if (observes === undefined) counts.set(name, (counts.get(name) ?? 0) + amountOf(each, fields));
      const seconds = secondsOf(each, fields);
      if (seconds !== undefined) metrics.addMetric(name, MetricUnit.Seconds, seconds);
    }
  };
  return {
    counted: (log) => (level, event, fields) => {
      count(event, fields);
      log(level, event, fields);
    },
    gauge: (name, unit, value) => void metrics.addMetric(name, MetricUnit[unit], value),
    flush() {
      for (const [name, counted] of counts) metrics.addMetric(name, MetricUnit.Count, counted);
      counts.clear();
      // Powertools warns when there is nothing to publish.
      if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    },
  };
}
