import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { sqsClient } from "../engines/aws/for-functions.ts";
import type { AwsEngine } from "../engines/aws/index.ts";
import { tellable } from "../errors.ts";
import type { Log } from "../model/log.ts";
import type { Clock } from "../ports/clock.ts";
import { systemClock } from "../runtime/system-clock.ts";
import { AWS_DEADLINES, within } from "../wire/deadline.ts";
import type { SqsRecord } from "./invocation.ts";

const BATCH_MAX = 10;

export interface VisibilityOptions {
  /** Made when first needed: most invocations end without it. */
  readonly client: () => SQSClient;
  /** Queue URLs that are known; others are made from the record's ARN. */
  readonly queues: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly requestMsMax?: number;
}

/**
 * When messages of a batch become visible to another function. Nothing depends on it: a trigger that comes
 * too early finds the lease held. So a failure here is only logged.
 */
export class Visibility {
  readonly #options: VisibilityOptions;
  #hasFailed = false;

  constructor(options: VisibilityOptions) {
    this.#options = options;
  }

  /**
   * Hides `records` repeatedly, each time for a little longer than the interval. The returned function ends
   * it.
   */
  keepHidden(records: ReadonlySet<SqsRecord>, everyMs: number, forMs: number): () => void {
    const { clock } = this.#options;
    let cancel = () => {};
    const beat = () => {
      void this.#hide([...records], forMs);
      cancel = clock.after(everyMs, beat);
    };
    cancel = clock.after(everyMs, beat);
    return () => cancel();
  }

  /**
   * Makes it visible after that time instead of the queue's own, which is six times the function's timeout.
   */
  async showAfter(record: SqsRecord, seconds: number): Promise<void> {
    const queue = this.#queueOf(record);
    if (queue === undefined) return;
    const { client } = this.#options;
    const command = { QueueUrl: queue, ReceiptHandle: record.receiptHandle, VisibilityTimeout: seconds };
    await this.#tried((ending) => client().send(new ChangeMessageVisibilityCommand(command), ending));
  }

  /** Done: it need not come again. If it does, a worker only looks once too often. */
  async remove(record: SqsRecord): Promise<void> {
    const queue = this.#queueOf(record);
    if (queue === undefined) return;
    const { client } = this.#options;
    const command = { QueueUrl: queue, ReceiptHandle: record.receiptHandle };
    await this.#tried((ending) => client().send(new DeleteMessageCommand(command), ending));
  }

  async #hide(records: readonly SqsRecord[], forMs: number): Promise<void> {
    const { client } = this.#options;
    const VisibilityTimeout = Math.ceil(forMs / 1_000);
    // A batch comes from one queue.
    const [first] = records;
    const QueueUrl = first && this.#queueOf(first);
    if (QueueUrl === undefined) return;
    for (let from = 0; from < records.length; from += BATCH_MAX) {
      const Entries = records.slice(from, from + BATCH_MAX).map(({ receiptHandle }, at) => ({
        Id: String(at),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout,
      }));
      const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries });
      await this.#tried((ending) => client().send(command, ending));
    }
  }

  async #tried(change: (ending: { readonly abortSignal: AbortSignal }) => Promise<unknown>): Promise<void> {
    const { clock, requestMsMax = AWS_DEADLINES.requestMsMax } = this.#options;
    try {
      await within(clock, requestMsMax, (abortSignal) => change({ abortSignal }));
    } catch (error) {
      // Mostly a missing permission, which is the same for all of them.
      if (!this.#hasFailed) this.#options.log("warn", "trigger.not-hidden", { reason: tellable(error) });
      this.#hasFailed = true;
    }
  }

  #queueOf({ eventSourceARN }: SqsRecord): string | undefined {
    return queueUrl(eventSourceARN, this.#options.queues);
  }
}

/** With the clients and queues of the engine that is in force. */
export function visibilityIn({ options, triggerQueues }: AwsEngine, log: Log): Visibility {
  let client = options.clients?.sqs;
  return new Visibility({
    client: () => {
      client ??= sqsClient(options);
      return client;
    },
    queues: triggerQueues?.() ?? [],
    clock: systemClock,
    log,
  });
}

/** The URL of a queue whose ARN is in an event. */
export function queueUrl(arn: string | undefined, known: readonly string[]): string | undefined {
  const [, partition, service, region, account, name] = arn?.split(":") ?? [];
  if (service !== "sqs" || !region || !account || !name) return undefined;
  const suffix = partition === "aws-cn" ? ".cn" : "";
  return (
    known.find((url) => url.endsWith(`/${name}`)) ??
    `https://sqs.${region}.amazonaws.com${suffix}/${account}/${name}`
  );
}
