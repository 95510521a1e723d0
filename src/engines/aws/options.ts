import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SQSClient } from "@aws-sdk/client-sqs";
import { ConfigError } from "../../errors.ts";
import { AWS_DEADLINES } from "../../wire/deadline.ts";
import { TABLES, type TableName, type TableNames } from "./dynamo/tables.ts";
import { LEASE_SHARDS, LEASE_SHARDS_MAX } from "./items/keys.ts";
import { RETRYING, type Retrying } from "./retry.ts";

export interface AwsOptions {
  /** Default: what the SDK finds (`AWS_REGION`, the profile, the instance). It also finds the credentials. */
  readonly region?: string;
  /**
   * Only for emulators; leave it out for real AWS. Default: `AWS_ENDPOINT_URL`, `AWS_ENDPOINT_URL_DYNAMODB`,
   * `AWS_ENDPOINT_URL_SQS`.
   */
  readonly endpoint?: string | { readonly dynamodb?: string; readonly sqs?: string };
  /** Put before every table's default name. */
  readonly tablePrefix?: string;
  /** Names of single tables. Default: `LULL_TABLE_...`, then the name in `TABLES`. */
  readonly tables?: Partial<TableNames>;
  /** Queue URLs by channel name; `default` serves channels without one. Default: `LULL_QUEUE_<CHANNEL>`. */
  readonly queues?: Readonly<Record<string, string>>;
  /**
   * Over how many partitions the index of live leases is spread, 4 to 64: one for every 500 turns a second.
   * Default: `LULL_LEASE_SHARDS`, then 4. It may be changed at any time.
   */
  readonly leaseShards?: number;
  /** How long a look for work waits for a trigger, up to 20. */
  readonly waitSeconds?: number;
  /** What removes expired ids: the table's own expiry, or the sweeper if it has none (emulators). */
  readonly forget?: "table" | "sweep";
  /** How often AWS is tried and how long it may take: see docs/aws.md for the defaults. */
  readonly retrying?: Partial<Retrying>;
  /** The application's own clients: traced, proxied, with other credentials. Not closed with the engine. */
  readonly clients?: { readonly dynamodb?: DynamoDBClient; readonly sqs?: SQSClient };
}

export interface AwsResources {
  readonly tables: TableNames;
  readonly queues: Readonly<Record<string, string>>;
  readonly waitSeconds: number;
  readonly leaseShards: number;
  readonly forget: "table" | "sweep";
  readonly retrying: Retrying;
}

const WAIT_SECONDS_MAX = 20;
const QUEUE_VARIABLE = /^LULL_QUEUE_(.+)$/;

/** Fills in what was left out: first from the environment, then from the defaults. */
export function resourcesFrom(options: AwsOptions, env: NodeJS.ProcessEnv = process.env): AwsResources {
  return {
    tables: tableNames(options, env),
    queues: { ...queuesIn(env), ...options.queues },
    waitSeconds: Math.min(options.waitSeconds ?? WAIT_SECONDS_MAX, WAIT_SECONDS_MAX),
    leaseShards: leaseShardsIn(options, env),
    forget: options.forget ?? "table",
    retrying: { ...RETRYING, ...options.retrying },
  };
}

function leaseShardsIn({ leaseShards }: AwsOptions, env: NodeJS.ProcessEnv): number {
  const said = leaseShards ?? (env.LULL_LEASE_SHARDS ? Number(env.LULL_LEASE_SHARDS) : LEASE_SHARDS);
  if (Number.isInteger(said) && said >= LEASE_SHARDS && said <= LEASE_SHARDS_MAX) return said;
  throw new ConfigError(
    `LULL_LEASE_SHARDS (aws({ leaseShards })) must be a whole number ` +
      `from ${LEASE_SHARDS} to ${LEASE_SHARDS_MAX}, not ${said}`,
  );
}

export function tableNames({ tables, tablePrefix = "" }: AwsOptions, env = process.env): TableNames {
  const named = Object.entries(TABLES).map(([table, { name, env: variable }]) => [
    table,
    tables?.[table as TableName] ?? env[variable] ?? `${tablePrefix}${name}`,
  ]);
  return Object.fromEntries(named) as TableNames;
}

/** `LULL_QUEUE_MY_CHANNEL` is the queue of `my-channel`. */
function queuesIn(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, url]) => {
      const channel = QUEUE_VARIABLE.exec(name)?.[1];
      return channel === undefined || !url ? [] : [[channel.toLowerCase().replaceAll("_", "-"), url]];
    }),
  );
}

/** Open requests at once: turns, renewals and webhooks share the client. */
const SOCKETS_MAX = 200;

const { connectMsMax, requestMsMax, pollMarginMsMax } = AWS_DEADLINES;

/**
 * The SDK's own timeouts, per request and up to the answer's headers, for code that uses a client without a
 * deadline. Without `throwOnRequestTimeout` the SDK only warns and waits on.
 */
function handlerTimeouts(requestTimeout: number) {
  return { connectionTimeout: connectMsMax, requestTimeout, throwOnRequestTimeout: true };
}

export function dynamoDbClient(options: AwsOptions): DynamoDBClient {
  const endpoint = typeof options.endpoint === "string" ? options.endpoint : options.endpoint?.dynamodb;
  return new DynamoDBClient({
    ...(options.region !== undefined && { region: options.region }),
    ...(endpoint !== undefined && { endpoint }),
    requestHandler: {
      ...handlerTimeouts(requestMsMax),
      httpsAgent: { maxSockets: SOCKETS_MAX },
      httpAgent: { maxSockets: SOCKETS_MAX },
    },
  });
}

export function sqsClient(options: AwsOptions): SQSClient {
  const given = typeof options.endpoint === "string" ? options.endpoint : options.endpoint?.sqs;
  const endpoint = given ?? process.env.AWS_ENDPOINT_URL_SQS ?? process.env.AWS_ENDPOINT_URL;
  return new SQSClient({
    ...(options.region !== undefined && { region: options.region }),
    // An emulator's queue URLs may name a host that only it knows.
    ...(endpoint !== undefined && { endpoint, useQueueUrlAsEndpoint: false }),
    requestHandler: {
      // Longer than the longest poll.
      ...handlerTimeouts(WAIT_SECONDS_MAX * 1_000 + pollMarginMsMax),
      httpsAgent: { maxSockets: SOCKETS_MAX },
      httpAgent: { maxSockets: SOCKETS_MAX },
    },
  });
}
