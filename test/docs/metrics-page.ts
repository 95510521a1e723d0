import { EVENT_METRICS } from "../../src/core/event-metrics.ts";
import { METRICS, type MetricName } from "../../src/core/metrics.ts";

const PLACE = /<!-- metrics -->\n[\s\S]*?<!-- end -->/;
const HEAD = "| metric | type | labels | counted from | |\n|---|---|---|---|---|";

/** The page with its table of metrics written anew. */
export function withMetrics(page: string): string {
  const names = Object.keys(METRICS) as MetricName[];
  return page.replace(PLACE, () =>
    ["<!-- metrics -->", HEAD, ...names.map(rowOf), "", "<!-- end -->"].join("\n"),
  );
}

function rowOf(name: MetricName): string {
  const { type, help } = METRICS[name];
  const counted = [...EVENT_METRICS].flatMap(([event, metrics]) =>
    metrics.filter(({ metric }) => metric === name).map((each) => ({ event, ...each })),
  );
  const labels = counted.flatMap(({ labels = [], fixed = {} }) => [...labels, ...Object.keys(fixed)]);
  const events = counted.map(({ event }) => event);
  const cells = [`\`${name}\``, type, inCode(labels), inCode(events), help.replace(/\.$/, "")];
  return `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |").replaceAll("|  |", "| |");
}

function inCode(words: readonly string[]): string {
  return [...new Set(words)].map((word) => `\`${word}\``).join(", ");
}
