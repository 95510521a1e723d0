import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { type IQueue, Queue, QueueEncryption, type QueueProps } from "aws-cdk-lib/aws-sqs";
import { Duration } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import { type Keys, queueKeyStatement } from "./keys.ts";
import type { FunctionName, LullProps } from "./lull-props.ts";
import { PROP_DEFAULTS } from "./prop-table.ts";

/** A channel's triggers, and those that no worker could handle. */
export interface ChannelQueue {
  readonly channel: string;
  readonly queue: Queue;
  readonly dead: Queue;
}

export const WORKER_TIMEOUT = Duration.seconds(PROP_DEFAULTS.worker.timeout);

/** What AWS recommends: a function may be throttled a few times before it gets to a batch. */
const VISIBILITY_FACTOR = 6;
const RECEIVES_MAX = 5;
const RETENTION = Duration.days(4);
/** Longer than the queue's own: a message's age goes on when it is moved. */
const DEAD_RETENTION = Duration.days(14);

export function createQueues(
  scope: Construct,
  { channels = [], worker = {} }: LullProps,
  keys: Keys,
): ChannelQueue[] {
  const { timeout = WORKER_TIMEOUT } = worker;
  const visibilityTimeout = Duration.seconds(VISIBILITY_FACTOR * timeout.toSeconds());
  return [...new Set(["default", ...channels])].map((channel) => {
    const ids = { queue: `${channel}-queue`, dead: `${channel}-dead` };
    const pair = createPair(scope, ids, { visibilityTimeout, retentionPeriod: RETENTION }, keys);
    WAKING.add(pair.queue).add(pair.dead);
    return { channel, ...pair };
  });
}

const WAKING = new WeakSet<IQueue>();

/** Whether it holds triggers, of any deployment in this app: nothing else may be written there. */
export function holdsTriggers(queue: IQueue): boolean {
  return WAKING.has(queue);
}

/** A queue, and where that goes which its reader could not handle. */
export function createPair(
  scope: Construct,
  ids: { readonly queue: string; readonly dead: string },
  times: Required<Pick<QueueProps, "visibilityTimeout" | "retentionPeriod">>,
  { queues: key }: Keys,
): { readonly queue: Queue; readonly dead: Queue } {
  const encrypted = key
    ? { encryption: QueueEncryption.KMS, encryptionMasterKey: key }
    : { encryption: QueueEncryption.SQS_MANAGED };
  const common = { ...encrypted, enforceSSL: true };
  const dead = new Queue(scope, ids.dead, { ...common, retentionPeriod: DEAD_RETENTION });
  const deadLetterQueue = { queue: dead, maxReceiveCount: RECEIVES_MAX };
  return { queue: new Queue(scope, ids.queue, { ...common, ...times, deadLetterQueue }), dead };
}

/** `my-channel` is `LULL_QUEUE_MY_CHANNEL`. */
export function queueVariables(queues: readonly ChannelQueue[]): Record<string, string> {
  return Object.fromEntries(
    queues.map(({ channel, queue }) => [
      `LULL_QUEUE_${channel.toUpperCase().replaceAll("-", "_")}`,
      queue.queueUrl,
    ]),
  );
}

/**
 * Every function may wake the worker. The event source mapping acts as the worker, which also hides a trigger
 * for longer while its turn runs.
 */
const ACTIONS: Readonly<Record<FunctionName, readonly string[]>> = {
  webhook: ["SendMessage", "GetQueueAttributes"],
  api: ["SendMessage"],
  worker: ["SendMessage", "GetQueueAttributes", "ReceiveMessage", "DeleteMessage", "ChangeMessageVisibility"],
  sweeper: ["SendMessage"],
};

export function queueStatements(
  name: FunctionName,
  queues: readonly ChannelQueue[],
  keys: Keys,
): PolicyStatement[] {
  return [
    ...(keys.queues ? [queueKeyStatement(keys.queues)] : []),
    new PolicyStatement({
      actions: ACTIONS[name].map((action) => `sqs:${action}`),
      resources: queues.map(({ queue }) => queue.queueArn),
    }),
  ];
}
