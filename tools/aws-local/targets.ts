import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import { regionIn } from "../../src/wire/queue-url.ts";
import { type Emulators, REGION } from "./emulators.ts";
import type { Environment } from "./function-instance.ts";

/**
 * Queues that turns are handed to. On AWS they belong to another system; here they are made, under the name
 * and region of their URL.
 */
const VARIABLES = ["LULL_AI_QUEUE", "LULL_HANDOFF_QUEUE"];

export async function createTargets({ endpoint }: Emulators, env: Environment): Promise<void> {
  for (const url of VARIABLES.flatMap((name) => env[name] || [])) {
    const QueueName = URL.parse(url)?.pathname.split("/").at(-1);
    const client = new SQSClient({
      region: regionIn(url) ?? REGION,
      endpoint: endpoint.sqs,
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
    });
    const Attributes = QueueName?.endsWith(".fifo") ? { FifoQueue: "true" } : {};
    await client.send(new CreateQueueCommand({ QueueName, Attributes }));
    client.destroy();
  }
}
