import type { ITable, Table, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { ISecret, Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { Duration, RemovalPolicy } from "aws-cdk-lib/core";
import type { LullTable } from "./tables.ts";

/** Under `exactOptionalPropertyTypes` a `Secret` is no `ISecret`, nor a `Table` an `ITable`: hence the unions. */
export type AnySecret = ISecret | Secret;
export type AnyTable = ITable | Table | TableV2;

/** A secret that is text, or one field of a secret that is JSON. */
export type SecretSource = AnySecret | { readonly secret: AnySecret; readonly key: string };

/** Everything may be left out. What `lull start` takes from the environment goes into `environment` and `secrets`. */
export interface LullProps {
  /**
   * Channels that get a queue of their own, so that a crowd on one does not keep the others waiting. Names as in your
   * configuration: `whatsapp`, `sms`, `wati`. The queue `default` always exists and serves the rest.
   */
  readonly channels?: readonly string[];
  /** Plain variables of the functions: `TWILIO_WHATSAPP_FROM`, `OPENAI_MODEL`, `LULL_WINDOW_SECONDS`. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Variables whose values stay in Secrets Manager: `{ OPENAI_API_KEY: secret, TWILIO_AUTH_TOKEN: { secret, key: "authToken" } }`.
   * The functions are given the name (`OPENAI_API_KEY_SECRET`) and may read that secret and no other.
   */
  readonly secrets?: Readonly<Record<string, SecretSource>>;
  /** Your file that exports `webhook`, `worker` and `sweeper`. Default: Lull's own, configured by the environment alone. */
  readonly entry?: string;
  readonly worker?: WorkerProps;
  /** In MB, of the functions `webhook` and `sweeper`. Default: 512. */
  readonly memorySize?: number;
  /** Requests that the API lets through. */
  readonly throttling?: ThrottlingProps;
  /**
   * Tables that exist already, made elsewhere with the keys and indexes of `TABLES` in `lull/aws`: usually `conversations`, which
   * another system writes. Import one with `Table.fromTableName`.
   */
  readonly tables?: Readonly<Partial<Record<LullTable, AnyTable>>>;
  /** A key of yours for the tables made here. Default: the one that AWS manages for DynamoDB. */
  readonly encryptionKey?: IKey;
  /** What becomes of tables and logs when the stack goes. `RETAIN`, the default, also protects the tables from being deleted. */
  readonly removalPolicy?: RemovalPolicy;
  /** How long logs are kept. Default: a month. */
  readonly logRetention?: RetentionDays;
  /** Where alarms are told. Without it they only show. */
  readonly alarmTopic?: ITopic;
  /** The `service` of metrics, traces and log lines. Default: made of the stack's name and this construct's id. */
  readonly serviceName?: string;
}

export interface WorkerProps {
  /** Longer than an answer and its sends may take, 900 seconds at most. Queues hide a trigger for six times as long. Default: 3 minutes. */
  readonly timeout?: Duration;
  /** In MB. Default: 512. */
  readonly memorySize?: number;
  /** Functions at once per queue, 2 to 1000. Each takes up to `batchSize` turns. Default: 50. */
  readonly concurrency?: number;
  /** Triggers handed to a function at once, 1 to 10: a conversation each. Default: 10. */
  readonly batchSize?: number;
}

export interface ThrottlingProps {
  /** Requests per second, in the long run. Default: 100. */
  readonly rate?: number;
  /** Requests at once. Default: 200. */
  readonly burst?: number;
}
