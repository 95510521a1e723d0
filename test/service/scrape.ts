import { API_TOKEN } from "./outside.ts";

export type Samples = ReadonlyMap<string, number>;

/** What Prometheus would get, on a connection of its own: any worker that is awake may answer. */
export async function scrape(url: string): Promise<Samples> {
  const headers = { authorization: `Bearer ${API_TOKEN}`, connection: "close" };
  const answer = await fetch(`${url}/metrics`, { headers });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status}: ${text}`);
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const [, series = "", value = ""] = /^(lull_[a-z_]+(?:\{[^\n]*\})?) (\S+)$/.exec(line) ?? [];
      if (series === "" || Number.isNaN(Number(value))) throw new Error(`this is no sample: ${line}`);
      return [series, Number(value)];
    }),
  );
}

/** One row of the table of rules in docs/operating.md. */
export interface AlertRule {
  readonly alert: string;
  readonly expression: string;
}

export function rulesIn(page: string): AlertRule[] {
  const rows = page.matchAll(/^\| `(Lull\w+)` \| `([^`]+)` \|/gm);
  return [...rows].map(([, alert = "", expression = ""]) => ({ alert, expression }));
}

export function metricsIn({ expression }: AlertRule): string[] {
  return expression.match(/\blull_\w+/g) ?? [];
}

/**
 * Whether a rule rings between two scrapes. It knows as much of PromQL as the page uses: metrics without
 * labels, their sums by channel, what they grew by, numbers, comparisons, `and`.
 */
export function rings(rule: AlertRule, before: Samples, now: Samples, nowSeconds: number): boolean {
  return rule.expression.split(/ and /).every((part) => {
    const [, left = "", sign = "", right = ""] = /^(.+?) (>|>=|<|==) (.+)$/.exec(part.trim()) ?? [];
    const value = (term: string) => sumOf(term, before, now, nowSeconds);
    if (sign === ">") return value(left) > value(right);
    if (sign === ">=") return value(left) >= value(right);
    if (sign === "<") return value(left) < value(right);
    if (sign === "==") return value(left) === value(right);
    throw new Error(`no comparison: ${part}`);
  });
}

function sumOf(term: string, before: Samples, now: Samples, nowSeconds: number): number {
  const dividing = term.split(" / ");
  const subtracting = term.split(" - ");
  const value = (each: string) => sumOf(each, before, now, nowSeconds);
  if (dividing.length === 2) return value(dividing[0]!) / value(dividing[1]!);
  if (subtracting.length === 2) return value(subtracting[0]!) - value(subtracting[1]!);
  const grown = /^(?:rate|increase)\((lull_\w+)\[\d+m\]\)$/.exec(term)?.[1];
  if (grown !== undefined) return sample(now, grown) - sample(before, grown);
  const summed = /^sum by \(channel\) \((lull_\w+)\)$/.exec(term)?.[1];
  if (summed !== undefined) return largestOf(summed, now);
  if (term === "time()") return nowSeconds;
  return /^\d/.test(term) ? Number(term) : sample(now, term);
}

/** Prometheus looks at each channel by itself. One that nothing was counted of has no series. */
function largestOf(metric: string, samples: Samples): number {
  const ofMetric = [...samples].filter(([series]) => series.startsWith(`${metric}{`));
  const channels = Map.groupBy(ofMetric, ([series]) => /channel="([^"]*)"/.exec(series)?.[1]);
  return Math.max(0, ...[...channels.values()].map((all) => all.reduce((sum, [, value]) => sum + value, 0)));
}

function sample(samples: Samples, name: string): number {
  const found = samples.get(name);
  if (found === undefined) throw new Error(`no sample of ${name}`);
  return found;
}
