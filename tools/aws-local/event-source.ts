import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { SQSEvent, SQSRecord } from "aws-lambda";
import { systemClock } from "../../src/runtime/system-clock.ts";
import type { InvocationResult } from "./function-instance.ts";
import type { LocalFunction } from "./local-function.ts";

const BATCH_MAX = 10;
const WAIT_SECONDS = 20;
const PAUSE_MS = 500;

export interface EventSourceOptions {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly region: string;
  readonly target: LocalFunction;
  /** Invocations for this queue at once. */
  readonly concurrencyMax: number;
  readonly batchMax?: number;
  readonly write: (line: string) => void;
}

/**
 * An event source mapping with `ReportBatchItemFailures`: polls the queue, hands over a batch, deletes what
 * did not fail. What failed is left alone: it comes back when its visibility ends, and the queue moves it to
 * its dead letters when it came too often.
 */
export class EventSource {
  readonly #options: EventSourceOptions;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #loop: Promise<void> | undefined;
  #arn = "";

  constructor(options: EventSourceOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { sqs, queueUrl: QueueUrl } = this.#options;
    const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] });
    this.#arn = (await sqs.send(command)).Attributes?.QueueArn ?? "";
    this.#loop ??= this.#pollOnAndOn();
  }

  /** No more batches; those that run come to their end, or to `cut`. */
  async stop(cut: Promise<unknown>): Promise<void> {
    this.#stopping.abort();
    const over = Promise.resolve(this.#loop).then(() => Promise.allSettled(this.#running));
    await Promise.race([over, cut]);
  }

  async #pollOnAndOn(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const messages = await this.#receive(signal);
        if (messages.length > 0) this.#begin(messages);
      } catch (error) {
        if (signal.aborted) return;
        this.#options.write(`event source of ${this.#arn}: ${error}`);
        await systemClock.sleep(PAUSE_MS, signal);
      }
      // A batch without a free function stays in the queue: received now, its visibility would run out in our
      // hands.
      while (this.#running.size >= this.#options.concurrencyMax) await Promise.race(this.#running);
    }
  }

  async #receive(abortSignal: AbortSignal): Promise<Message[]> {
    const { sqs, queueUrl, batchMax = BATCH_MAX } = this.#options;
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: batchMax,
      WaitTimeSeconds: WAIT_SECONDS,
      MessageSystemAttributeNames: ["All"],
      MessageAttributeNames: ["All"],
    });
    return (await sqs.send(command, { abortSignal })).Messages ?? [];
  }

  #begin(messages: readonly Message[]): void {
    const run = this.#handOver(messages)
      .catch((error) => this.#options.write(`event source of ${this.#arn}: ${error}`))
      .finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  async #handOver(messages: readonly Message[]): Promise<void> {
    const { sqs, queueUrl, target, region, write } = this.#options;
    const event: SQSEvent = { Records: messages.map((message) => recordOf(message, this.#arn, region)) };
    const result = await target.invoke(event);
    const failed = failuresIn(result, new Set(event.Records.map(({ messageId }) => messageId)));
    if (failed === "all") {
      write(`event source of ${this.#arn}: ${messages.length} failed: ${JSON.stringify(result)}`);
      return;
    }
    const Entries = messages
      .filter(({ MessageId }) => !failed.has(MessageId ?? ""))
      .map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
    if (Entries.length > 0) {
      await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    }
  }
}

function recordOf(message: Message, eventSourceARN: string, awsRegion: string): SQSRecord {
  const { Attributes = {}, MessageAttributes = {} } = message;
  return {
    messageId: message.MessageId ?? "",
    receiptHandle: message.ReceiptHandle ?? "",
    body: message.Body ?? "",
    attributes: Attributes as unknown as SQSRecord["attributes"],
    messageAttributes: Object.fromEntries(
      Object.entries(MessageAttributes).map(([name, { StringValue, DataType = "String" }]) => [
        name,
        { stringValue: StringValue, dataType: DataType, stringListValues: [], binaryListValues: [] },
      ]),
    ) as SQSRecord["messageAttributes"],
    md5OfBody: message.MD5OfBody ?? "",
    eventSource: "aws:sqs",
    eventSourceARN,
    awsRegion,
  };
}

/**
 * Which of a batch come back. An answer that cannot be understood fails all of it, and none at all is a
 * success.
 */
export function failuresIn(result: InvocationResult, ids: ReadonlySet<string>): "all" | ReadonlySet<string> {
  if (result.kind === "error") return "all";
  const { payload } = result;
  if (payload === null) return new Set();
  if (typeof payload !== "object") return "all";
  const { batchItemFailures = null } = payload as { batchItemFailures?: unknown };
  if (batchItemFailures === null) return new Set();
  if (!Array.isArray(batchItemFailures)) return "all";
  const failed = batchItemFailures.map((each: { itemIdentifier?: unknown } | null) => each?.itemIdentifier);
  const areKnown = failed.every((id) => typeof id === "string" && ids.has(id));
  return areKnown ? new Set(failed as string[]) : "all";
}
