import type { Series } from "../model/series.ts";
import { METRICS, type MetricName } from "./metrics.ts";

/** What Prometheus is told that the text is. */
export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** The text that Prometheus reads: each metric with what it means, then its series. */
export function exposition(series: Series): string {
  const byMetric = Map.groupBy(Object.entries(series), ([name]) => metricOf(name));
  const names = Object.keys(METRICS) as MetricName[];
  return names.map((name) => inWords(name, byMetric.get(name) ?? [])).join("");
}

function inWords(name: MetricName, series: readonly (readonly [string, number])[]): string {
  if (series.length === 0) return "";
  const { type, help } = METRICS[name];
  const lines = series.map(([each, value]) => `${each} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

/** `lull_turn_late_seconds_bucket{le="1"}` -> `lull_turn_late_seconds`. */
function metricOf(series: string): string {
  const [name = ""] = series.split("{", 1);
  const histogram = name.replace(/_(?:bucket|sum|count)$/, "");
  return histogram in METRICS ? histogram : name;
}
