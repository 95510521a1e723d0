import type { FunctionRuntime } from "./function-runtime.ts";
import type { LambdaContext } from "./invocation.ts";

/** A round of the sweeper, on a schedule. It throws when the store fails: the schedule's own retries and alarms are made for that. */
export function sweeperHandler(runtime: FunctionRuntime) {
  return (_event: unknown, context: LambdaContext): Promise<void> =>
    runtime.invoke(context, async () => {
      const lull = await runtime.lull();
      const { sweeping, inspector } = await lull.engine();
      const { orphans, retriggered, freed, expired } = await sweeping.sweep();
      if (orphans > 0) lull.log("error", "sweep.orphans", { orphans });
      lull.log("debug", "sweep.done", { orphans, retriggered, freed, expired });
      const { dead, unknown } = await inspector.counts();
      runtime.metrics.gauge("DeadLetters", "Count", dead);
      runtime.metrics.gauge("UnknownSends", "Count", unknown);
    });
}
