import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { Redriven } from "../../../ports/engine.ts";
import { failure } from "../../../wire/aws-failure.ts";
import { type Ending, retrying } from "../retry.ts";
import { type TriggersOptions, triggerFrom } from "./triggers.ts";

const RECEIVE_MAX = 10;
/** Longer than a page takes: what stays is not seen twice in one run. */
const HIDDEN_SECONDS = 300;
/** A standard queue may say "nothing" while a part of it has something. */
const EMPTY_MAX = 2;

type Redriving = Pick<TriggersOptions, "client" | "queues" | "retrying" | "clock">;

/**
 * Moves the dead letters of the channel queues back. Each is sent before it is deleted: one that comes twice
 * only causes one more look. A trigger that cannot be read stays, or it would be back here in a minute.
 */
export async function redrive(at: Redriving): Promise<Redriven[]> {
  const seen = new Set<string>();
  const done: Redriven[] = [];
  for (const [channel, queue] of Object.entries(at.queues)) {
    if (seen.has(queue)) continue;
    seen.add(queue);
    done.push({ channel, ...(await redriveQueue(at, channel, queue)) });
  }
  return done;
}

async function redriveQueue(
  at: Redriving,
  channel: string,
  queue: string,
): Promise<Omit<Redriven, "channel">> {
  const dead = await asked(at, channel, (ending) => deadLettersOf(at.client, queue, ending));
  if (dead === undefined) return { moved: 0, left: 0, isWithout: true };
  const counts = { moved: 0, left: 0 };
  for (let empty = 0; empty < EMPTY_MAX; ) {
    const command = new ReceiveMessageCommand({
      QueueUrl: dead,
      MaxNumberOfMessages: RECEIVE_MAX,
      VisibilityTimeout: HIDDEN_SECONDS,
      WaitTimeSeconds: 1,
    });
    const { Messages = [] } = await asked(at, channel, (ending) => at.client.send(command, ending));
    empty = Messages.length === 0 ? empty + 1 : 0;
    for (const message of Messages) {
      const isMoved = await move(at, channel, { message, from: dead, to: queue });
      counts[isMoved ? "moved" : "left"] += 1;
    }
  }
  return counts;
}

async function move(
  at: Redriving,
  channel: string,
  { message, from, to }: { readonly message: Message; readonly from: string; readonly to: string },
): Promise<boolean> {
  const { Body, ReceiptHandle } = message;
  if (!triggerFrom(Body)) return false;
  const send = new SendMessageCommand({ QueueUrl: to, MessageBody: Body });
  await asked(at, channel, (ending) => at.client.send(send, ending));
  const remove = new DeleteMessageCommand({ QueueUrl: from, ReceiptHandle });
  await asked(at, channel, (ending) => at.client.send(remove, ending));
  return true;
}

async function deadLettersOf(
  client: SQSClient,
  QueueUrl: string,
  ending: Ending,
): Promise<string | undefined> {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["RedrivePolicy"] });
  const { Attributes } = await client.send(command, ending);
  const policy = Attributes?.RedrivePolicy;
  const arn = policy && (JSON.parse(policy) as { deadLetterTargetArn?: string }).deadLetterTargetArn;
  if (!arn) return undefined;
  const [, , , , account, QueueName] = arn.split(":");
  const found = await client.send(
    new GetQueueUrlCommand({ QueueName, ...(account && { QueueOwnerAWSAccountId: account }) }),
    ending,
  );
  return found.QueueUrl;
}

function asked<T>(
  { retrying: how, clock }: Redriving,
  channel: string,
  ask: Parameters<typeof retrying<T>>[0],
): Promise<T> {
  return retrying(ask, how, clock).catch((error) => {
    throw failure(error, `queue of channel ${channel}`);
  });
}
