import { type Spread, spreadOf } from "../quantiles.ts";
import type { Results } from "../results.ts";

/** A figure of something small and of something large, by repetition. */
export interface Compared {
  readonly about: string;
  readonly small: readonly number[];
  readonly large: readonly number[];
  /** Of the ratio, or of the large one itself. */
  readonly atMost?: { readonly of: "ratio" | "large"; readonly value: number };
}

/** What `npm run bench -- scale` came to. */
export interface ScaleResults {
  readonly day: string;
  readonly machine: Results["machine"];
  readonly rows: readonly Compared[];
}

export function ratioOf({ small, large }: Compared): Spread {
  return spreadOf(large.map((value, at) => value / (small[at] ?? Number.NaN)));
}

export function isMet(row: Compared): boolean | undefined {
  if (row.atMost === undefined) return undefined;
  const measured = row.atMost.of === "ratio" ? ratioOf(row) : spreadOf(row.large);
  return measured.median <= row.atMost.value;
}
