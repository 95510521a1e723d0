import { gaugeValues } from "../core/gauges.ts";
import type { Gauges } from "../model/gauges.ts";
import { systemClock } from "../runtime/system-clock.ts";
import { tellSweep } from "../runtime/tell-sweep.ts";
import type { FunctionRuntime } from "./function-runtime.ts";
import type { LambdaContext } from "./invocation.ts";
import type { Counting } from "./metrics.ts";

/** A round begins only while this share of the time is left: it has to end, and the gauges come after it. */
const ROUND_SHARE = 2;

/**
 * Rounds of the sweeper, on a schedule: one, and more while there is more to sweep and time for it. It throws
 * when the store fails: alarms on failed functions are made for that, and the next round continues where this
 * one began.
 */
export function sweeperHandler(runtime: FunctionRuntime) {
  return (_event: unknown, context: LambdaContext): Promise<void> =>
    runtime.invoke("sweeper", context, async () => {
      const { lull } = await runtime.open();
      const { sweeping, inspector } = await lull.engine();
      const halfMs = context.getRemainingTimeInMillis() / ROUND_SHARE;
      for (let hasMore = true; hasMore && context.getRemainingTimeInMillis() >= halfMs; ) {
        const report = await sweeping.sweep();
        tellSweep(lull.log, report);
        hasMore = report.hasMore;
      }
      tell(runtime.metrics, await inspector.gauges(), systemClock.nowMs());
    });
}

function tell(metrics: Counting, gauges: Gauges, nowMs: number): void {
  const values = gaugeValues(gauges, nowMs);
  metrics.gauge("DeadLetters", "Count", values.deadLetters);
  metrics.gauge("UnknownSends", "Count", values.unknownSends);
  metrics.gauge("QuarantinedRows", "Count", values.quarantinedRows);
  metrics.gauge("StaleLeases", "Count", values.staleLeases);
  metrics.gauge("LeaseHeldSecondsMax", "Seconds", values.leaseHeldSeconds);
}
