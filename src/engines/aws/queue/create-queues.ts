import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { type AwsOptions, sqsClient } from "../options.ts";
import { DEFAULT_QUEUE } from "./triggers.ts";

export interface QueueOptions extends Pick<AwsOptions, "region" | "endpoint" | "clients"> {
  /** Channels that get a queue of their own; `default` is always created. */
  readonly channels?: readonly string[];
  /** Put before every queue's name. */
  readonly prefix?: string;
  /** How long a received trigger stays hidden before it is delivered again. */
  readonly visibilitySeconds?: number;
}

const RECEIVES_MAX = 5;

/** Creates missing queues with their dead-letter queues; returns the URLs for `aws({ queues })`. */
export async function createQueues(options: QueueOptions = {}): Promise<Record<string, string>> {
  const client = options.clients?.sqs ?? sqsClient(options);
  const { prefix = "lull-", channels = [], visibilitySeconds = 60 } = options;
  try {
    const urls: Record<string, string> = {};
    for (const channel of new Set([DEFAULT_QUEUE, ...channels])) {
      urls[channel] = await createQueue(client, `${prefix}${channel}`, visibilitySeconds);
    }
    return urls;
  } finally {
    if (!options.clients?.sqs) client.destroy();
  }
}

async function createQueue(client: SQSClient, name: string, visibilitySeconds: number): Promise<string> {
  const dead = await client.send(
    // Longer than the queue's own retention: a moved message keeps its age.
    new CreateQueueCommand({ QueueName: `${name}-dead`, Attributes: { MessageRetentionPeriod: "1209600" } }),
  );
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: dead.QueueUrl, AttributeNames: ["QueueArn"] }),
  );
  const redrive = { deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount: RECEIVES_MAX };
  const { QueueUrl } = await client.send(
    new CreateQueueCommand({
      QueueName: name,
      Attributes: { VisibilityTimeout: String(visibilitySeconds), RedrivePolicy: JSON.stringify(redrive) },
    }),
  );
  return QueueUrl!;
}
