import { BatchProcessor, EventType, processPartialResponse } from "@aws-lambda-powertools/batch";
import { systemClock } from "../runtime/system-clock.ts";
import { BatchRun } from "./batch-run.ts";
import { budgetOf } from "./deadline.ts";
import type { FunctionRuntime } from "./function-runtime.ts";
import type { LambdaContext, SqsBatchResponse, SqsEvent, SqsRecord } from "./invocation.ts";

type Batch = Parameters<typeof processPartialResponse>[0];
type Handled = Parameters<typeof processPartialResponse>[1];

/**
 * The triggers of a batch. The event source mapping deletes a record that is not reported, so each one ends
 * in one of two ways: another look is certain where one is needed (a turn that ended, a new trigger, a
 * lease), or the record is reported.
 */
export function workerHandler(runtime: FunctionRuntime) {
  return (event: SqsEvent, context: LambdaContext): Promise<SqsBatchResponse> =>
    runtime.invoke("worker", context, async () => {
      const { lull, visibility } = await runtime.open();
      const budget = budgetOf(context.getRemainingTimeInMillis(), lull.settings);
      const { trace } = runtime;
      const run = new BatchRun({ lull, visibility, budget, log: lull.log, trace, clock: systemClock });
      try {
        const handle = (record: SqsRecord) => run.handle(record);
        const processor = new BatchProcessor(EventType.SQS);
        // Reported one by one even if it is all of them: an exception would look as if the function had
        // failed.
        const options = { throwOnFullBatchFailure: false };
        return await processPartialResponse(event as unknown as Batch, handle as Handled, processor, options);
      } finally {
        run.end();
      }
    });
}
