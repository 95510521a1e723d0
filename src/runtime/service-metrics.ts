import { gaugeValues } from "../core/gauges.ts";
import { seriesName } from "../core/metrics.ts";
import type { Series } from "../model/series.ts";
import type { Clock } from "../ports/clock.ts";
import type { Engine } from "../ports/engine.ts";
import { version } from "../process/version.ts";
import type { Counters } from "./counters.ts";
import { waitFor } from "./wait-for.ts";

/** Several processes are one service, and this is one of them. */
export interface PartOf {
  /** When the first of them started. */
  readonly startedAtMs: number;
  /** What all of them have counted, those that are gone included. */
  readonly totals: () => Promise<Series>;
}

interface Measured {
  readonly clock: Clock;
  readonly counters: Pick<Counters, "series">;
  readonly startedAtMs: number;
  readonly partOf: PartOf | undefined;
  readonly engine: () => Promise<Engine>;
}

/** A store that does not answer must not take the counters with it. */
const STORE_WITHIN_MS = 3_000;

const ALONE: Series = { lull_workers: 1, lull_workers_up: 1 };

/** What the whole service counted, and what it looks like now. */
export async function measure(service: Measured): Promise<Series> {
  const { partOf, counters, startedAtMs } = service;
  const [counted, gauges] = await Promise.all([
    partOf ? partOf.totals() : { ...counters.series(), ...ALONE },
    gaugesIn(service),
  ]);
  return { ...counted, ...gauges, lull_start_time_seconds: startedAtMs / 1_000, ...build() };
}

async function gaugesIn({ clock, engine }: Measured): Promise<Series> {
  const read = engine().then(({ inspector }) => inspector.gauges());
  const found = await waitFor(
    read.catch(() => undefined),
    [(end) => clock.after(STORE_WITHIN_MS, () => end(undefined))],
  );
  if (!found) return { lull_store_up: 0 };
  const { stagedMessages, ...values } = gaugeValues(found, clock.nowMs());
  return {
    lull_store_up: 1,
    lull_dead_letters: values.deadLetters,
    lull_unknown_sends: values.unknownSends,
    lull_quarantined_rows: values.quarantinedRows,
    ...(stagedMessages !== undefined && { lull_staged_messages: stagedMessages }),
    lull_stale_leases: values.staleLeases,
    lull_oldest_lease_seconds: values.leaseHeldSeconds,
  };
}

/** Nothing where another bundler has left the package's own file behind. */
function build(): Series {
  try {
    return { [seriesName("lull_build_info", { version: version() })]: 1 };
  } catch {
    return {};
  }
}
