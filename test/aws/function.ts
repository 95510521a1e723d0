import { randomUUID } from "node:crypto";
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { LambdaContext, LambdaHandlers, SqsRecord } from "../../src/lambda/index.ts";

/** A context as the runtime of a function makes one, with the time that is left. */
export function contextWith(remainingMs: number): LambdaContext {
  const endsAtMs = Date.now() + remainingMs;
  return {
    awsRequestId: randomUUID(),
    functionName: "lull-test",
    getRemainingTimeInMillis: () => Math.max(0, endsAtMs - Date.now()),
  };
}

export function recordOf({ MessageId, ReceiptHandle, Body, Attributes }: Message, arn: string): SqsRecord {
  return {
    messageId: MessageId!,
    receiptHandle: ReceiptHandle!,
    body: Body!,
    eventSourceARN: arn,
    attributes: { ...Attributes },
  };
}

/** One round of what the event source mapping does: receive, invoke, delete what was not reported. Gives what was reported. */
export async function pollOnce(
  sqs: SQSClient,
  queue: string,
  handlers: LambdaHandlers,
  { timeoutMs = 30_000, waitSeconds = 1 }: { timeoutMs?: number; waitSeconds?: number } = {},
): Promise<{ received: number; failed: string[] }> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: queue,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ["All"],
    }),
  );
  if (Messages.length === 0) return { received: 0, failed: [] };
  const arn = `arn:aws:sqs:eu-west-1:000000000000:${queue.split("/").at(-1)}`;
  const Records = Messages.map((message) => recordOf(message, arn));
  const { batchItemFailures } = await handlers.worker({ Records }, contextWith(timeoutMs));
  const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  for (const { MessageId, ReceiptHandle } of Messages) {
    if (!failed.includes(MessageId!))
      await sqs.send(new DeleteMessageCommand({ QueueUrl: queue, ReceiptHandle }));
  }
  return { received: Messages.length, failed };
}

/** Makes a message that waits for its visibility come at once. */
export async function showNow(sqs: SQSClient, queue: string, receiptHandle: string): Promise<void> {
  await sqs.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: queue,
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: 0,
    }),
  );
}
