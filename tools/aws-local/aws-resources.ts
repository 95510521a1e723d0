import { randomUUID } from "node:crypto";
import { TABLES, type TableName } from "../../src/engines/aws/dynamo/tables.ts";
import { createQueues, createTables, type QueueOptions } from "../../src/engines/aws/index.ts";
import { tableNames } from "../../src/engines/aws/options.ts";
import { type Emulators, REGION } from "./emulators.ts";

export interface AwsResources {
  readonly prefix: string;
  readonly queues: Readonly<Record<string, string>>;
  /** What a process has to know to work there: nothing else is needed. */
  readonly env: Readonly<Record<string, string>>;
}

/** Tables and queues of their own on running emulators, and the environment that names them. */
export async function awsResources(
  emulators: Emulators,
  options: Pick<QueueOptions, "prefix" | "channels" | "visibilitySeconds"> = {},
): Promise<AwsResources> {
  const { prefix = `${randomUUID().slice(0, 8)}-` } = options;
  const clients = { dynamodb: emulators.dynamodb(), sqs: emulators.sqs() };
  await createTables({ tablePrefix: prefix, clients });
  const queues = await createQueues({ ...options, prefix, clients });
  clients.dynamodb.destroy();
  clients.sqs.destroy();
  return {
    prefix,
    queues,
    env: { ...access(emulators), ...tableVariables(prefix), ...queueVariables(queues) },
  };
}

function access({ endpoint }: Emulators) {
  return {
    LULL_ENGINE: "aws",
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_ENDPOINT_URL_DYNAMODB: endpoint.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoint.sqs,
  };
}

function tableVariables(tablePrefix: string): Record<string, string> {
  const names = Object.entries(tableNames({ tablePrefix }, {}));
  return Object.fromEntries(names.map(([table, name]) => [TABLES[table as TableName].env, name]));
}

function queueVariables(queues: Readonly<Record<string, string>>): Record<string, string> {
  const variable = (channel: string) => `LULL_QUEUE_${channel.toUpperCase().replaceAll("-", "_")}`;
  return Object.fromEntries(Object.entries(queues).map(([channel, url]) => [variable(channel), url]));
}
