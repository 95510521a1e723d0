import type { FigureName } from "./figures.ts";
import type { Measured } from "./measure.ts";
import { type Spread, spreadOf } from "./quantiles.ts";
import type { ScenarioName, Size } from "./scenarios.ts";
import type { ServerName } from "./servers.ts";

/** What a run of the whole bench came to: `bench/results.json`, from which page and plots are written. */
export interface Results {
  readonly day: string;
  readonly machine: {
    readonly cores: number;
    readonly memoryGb: number;
    readonly system: string;
    readonly node: string;
    /** Programs that wanted a core before the bench began: what they take is missing from every figure. */
    readonly loadBefore: number;
  };
  readonly versions: { readonly lull: string; readonly bullmq: string; readonly redis: string };
  readonly durability: readonly string[];
  readonly size: Size;
  /** What was left out, and why. */
  readonly skipped: readonly string[];
  readonly runs: readonly Measured[];
}

export function runsOf({ runs }: Results, server: ServerName, scenario?: ScenarioName): readonly Measured[] {
  return runs.filter((run) => run.server === server && (scenario === undefined || run.scenario === scenario));
}

/** Median, least and most of a figure over all repetitions; nothing where it was not measured. */
export function spreadIn(
  results: Results,
  server: ServerName,
  scenario: ScenarioName,
  figure: FigureName,
): Spread | undefined {
  const values = runsOf(results, server, scenario).map(({ figures }) => figures[figure]);
  return values.length === 0 ? undefined : spreadOf(values);
}

/** Ratios of medians of the same run of the bench: machines differ, and so do days. */
export function ratioIn(
  results: Results,
  against: ServerName,
  scenario: ScenarioName,
  figure: FigureName,
): number | undefined {
  const own = spreadIn(results, "lull", scenario, figure);
  const other = spreadIn(results, against, scenario, figure);
  return own && other && other.median > 0 ? own.median / other.median : undefined;
}
