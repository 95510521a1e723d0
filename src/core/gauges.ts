import type { Gauges } from "../model/gauges.ts";

/** What every place that metrics go to is told, under names of its own. */
export interface GaugeValues {
  readonly deadLetters: number;
  readonly unknownSends: number;
  readonly quarantinedRows: number;
  readonly stagedMessages?: number;
  readonly staleLeases: number;
  /** How long the oldest lease is held. */
  readonly leaseHeldSeconds: number;
}

export function gaugeValues(gauges: Gauges, nowMs: number): GaugeValues {
  const { dead, unknown, quarantined, staged, staleLeases, oldestLeaseAtMs = nowMs } = gauges;
  return {
    deadLetters: dead,
    unknownSends: unknown,
    quarantinedRows: quarantined,
    ...(staged !== undefined && { stagedMessages: staged }),
    staleLeases,
    // The clock of the process that took it may be ahead.
    leaseHeldSeconds: Math.max(0, nowMs - oldestLeaseAtMs) / 1_000,
  };
}
