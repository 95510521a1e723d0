import type { Log } from "../model/log.ts";
import type { SweepReport } from "../ports/engine.ts";

/** What one round of the sweeper found, in the same words on every engine, in a worker and in a function. */
export function tellSweep(log: Log, report: SweepReport): void {
  const { orphans, retriggered, freed, freedFrom, expired, clockSetBack } = report;
  if (clockSetBack) log("error", "clock.set-back", { ...clockSetBack });
  for (const conversation of orphans) log("error", "sweep.orphan", { conversation });
  if (retriggered > 0) log("warn", "sweep.retriggered", { retriggered });
  if (freed > 0 && !freedFrom) log("warn", "lease.stale", { freed });
  for (const { holder, leases, sinceAtMs } of freedFrom ?? [])
    log("warn", "lease.stale", { freed: leases, holder, sinceAtMs });
  log("debug", "sweep.done", { orphans: orphans.length, retriggered, freed, expired });
}
