import { BatchProcessor, EventType, processPartialResponse } from "@aws-lambda-powertools/batch";
import { triggerFrom } from "../engines/aws/triggers.ts";
import { LullError } from "../errors.ts";
import type { Lull } from "../index.ts";
import { systemClock } from "../runtime/system-clock.ts";
import type { Within } from "../runtime/worker.ts";
import { budgetOf } from "./deadline.ts";
import type { FunctionRuntime } from "./function-runtime.ts";
import type { LambdaContext, SqsBatchResponse, SqsEvent, SqsRecord } from "./invocation.ts";

type PowertoolsRecord = Parameters<typeof processPartialResponse>[0]["Records"][number];

/**
 * The triggers of a batch. A record that is not reported is deleted by the event source mapping, so each one ends in one of two ways:
 * somebody has promised to look again where that is needed (a turn that ended, a new trigger, a lease), or it is reported.
 */
export function workerHandler(runtime: FunctionRuntime) {
  return (event: SqsEvent, context: LambdaContext): Promise<SqsBatchResponse> =>
    runtime.invoke(context, async () => {
      const remainingMs = context.getRemainingTimeInMillis();
      const lull = await runtime.lull();
      const { stopMs, limits } = budgetOf(remainingMs, lull.settings);
      const stopping = new AbortController();
      const cancel = systemClock.after(stopMs, () => stopping.abort());
      const wake = oncePerConversation(lull, { stopping: stopping.signal, limits });
      try {
        return await processPartialResponse(
          event as never,
          (record: PowertoolsRecord) => handle(runtime, record as unknown as SqsRecord, wake),
          new BatchProcessor(EventType.SQS),
          { throwOnFullBatchFailure: false },
        );
      } finally {
        cancel();
      }
    });
}

type Wake = (conversationId: string) => Promise<void>;

/** Two triggers of one conversation in one batch are one wake-up: side by side the second would only find the lease held. */
function oncePerConversation(lull: Lull, within: Within): Wake {
  const woken = new Map<string, Promise<void>>();
  return (id) => {
    const known = woken.get(id);
    if (known !== undefined) return known;
    const waking = lull.wake(id, within).then((outcome) => {
      if (outcome === "abandoned") throw new Error("the store failed during the turn");
    });
    woken.set(id, waking);
    return waking;
  };
}

async function handle(runtime: FunctionRuntime, record: SqsRecord, wake: Wake): Promise<void> {
  const trigger = triggerFrom(record.body);
  if (!trigger) {
    // It fails alone, again and again, until the queue's redrive takes it to its dead letters, where a person finds it.
    runtime.log("error", "trigger.unreadable", { id: record.messageId });
    throw new LullError("nobody can read this trigger", { code: "INVALID_PAYLOAD", retry: "never" });
  }
  try {
    await wake(trigger.conversationId);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    runtime.log("error", "take.failed", { conversation: trigger.conversationId, reason });
    throw error;
  }
}
