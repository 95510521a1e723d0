import type { ILambdaDeploymentConfig } from "aws-cdk-lib/aws-codedeploy";
import type { ITable, Table, TableV2, WarmThroughput } from "aws-cdk-lib/aws-dynamodb";
import type { ISecurityGroup, IVpc, SubnetSelection, Vpc } from "aws-cdk-lib/aws-ec2";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { ISecret, Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { IQueue, Queue } from "aws-cdk-lib/aws-sqs";
import type { Duration, RemovalPolicy } from "aws-cdk-lib/core";

/**
 * Under `exactOptionalPropertyTypes` a `Secret` is no `ISecret`, nor a `Table` an `ITable`: hence the unions.
 */
export type AnySecret = ISecret | Secret;
export type AnyTable = ITable | Table | TableV2;
export type AnyQueue = IQueue | Queue;

/**
 * A secret that is text, or one field of a secret that is JSON; and its readers, where its variable does not
 * tell.
 */
export type SecretSource =
  | AnySecret
  | {
      readonly secret: AnySecret;
      readonly key?: string;
      /**
       * Default: the functions that need a variable of that name; for names of your own those that need it
       * where `config` names it, else `webhook` and `worker`.
       */
      readonly for?: readonly FunctionName[];
    };

/**
 * Everything may be left out. What `lull start` takes from the environment goes into `environment` and
 * `secrets`. What numbers may be, and are by default, stands in `prop-table.ts` and docs/aws.md.
 */
export interface LullProps {
  /**
   * Channels that get a queue of their own, so that a crowd on one does not keep the others waiting. Names as
   * in your configuration: `whatsapp`, `sms`, `wati`. The queue `default` always exists and serves the rest.
   */
  readonly channels?: readonly string[];
  /**
   * What a `lull.config.json` would hold: projects (tenants), channels and responders that variables alone do
   * not describe. Secrets are named in it, never told: `{ env: "ACME_KEY" }`, with `ACME_KEY` in `secrets`;
   * synth warns of one that is written out. The worker may write to the queues that it names.
   * It is one variable of the functions, which may have 4 KB in all: more goes into an `entry` of your own.
   */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Plain variables of the functions: `TWILIO_WHATSAPP_FROM`, `OPENAI_MODEL`, `LULL_WINDOW_SECONDS`. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Variables whose values stay in Secrets Manager:
   * `{ OPENAI_API_KEY: secret, TWILIO_AUTH_TOKEN: { secret, key: "authToken" } }`. The functions are told the
   * name (`OPENAI_API_KEY_SECRET`), and each may read the secrets that it needs: the webhook function only
   * those that signatures are checked with. Rights are granted by secret, not by key: keep values with
   * different readers in two secrets.
   */
  readonly secrets?: Readonly<Record<string, SecretSource>>;
  /**
   * Your file that exports `webhook`, `worker` and `sweeper`, and `api` where that is wanted. Default: Lull's
   * own, configured by the environment alone.
   */
  readonly entry?: string;
  /**
   * Whether `/api` is served, by a function with a role of its own. Default: where `LULL_API_TOKEN` or
   * `LULL_TURN_TOKEN` is given, or a token in `config`; without any it would refuse every caller.
   */
  readonly api?: boolean;
  /**
   * Turns go to this queue instead of being answered here: `true` makes one, with dead letters and alarms.
   * Its reader answers through `/api/turns/{id}/reply`, within `LULL_AI_QUEUE_ANSWER_SECONDS`; without that
   * variable nothing is replied. It must not hold triggers.
   */
  readonly aiQueue?: boolean | AnyQueue;
  /** The same for turns of conversations that a human has, to which no answer is awaited. */
  readonly handOffQueue?: boolean | AnyQueue;
  readonly worker?: WorkerProps;
  /** In MB, of the functions `webhook`, `api` and `sweeper`. */
  readonly memorySize?: number;
  /** Requests that the gateway lets through. */
  readonly throttling?: ThrottlingProps;
  /** Instances that are kept for a function, and instances that wait warm. */
  readonly concurrency?: Readonly<Partial<Record<Exclude<FunctionName, "sweeper">, ConcurrencyProps>>>;
  /**
   * Where the functions run, if not in Lambda's own network. They must reach AWS, your providers and your
   * model from there.
   */
  readonly network?: NetworkProps;
  /**
   * How a new version takes over, such as `LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES`: part of the
   * traffic first, and back to the old one by itself if it fails. Default: all at once.
   */
  readonly deployment?: ILambdaDeploymentConfig;
  /**
   * Tables that exist already, made elsewhere with the keys and indexes of `TABLES` in `lull/aws`: usually
   * `conversations`, which another system writes. Import one with `Table.fromTableName`.
   */
  readonly tables?: Readonly<Partial<Record<LullTable, AnyTable>>>;
  /**
   * What tables and their indexes carry from the first second on. Without it a new one takes 4,000 writes and
   * 12,000 reads a second.
   */
  readonly warmThroughput?: Readonly<Partial<Record<LullTable, WarmThroughput>>>;
  /**
   * A key of yours for everything made here that keeps something: tables, queues, logs. One that was not made
   * in this app must let `logs.<region>.amazonaws.com` use it. Default: keys that AWS manages.
   */
  readonly encryptionKey?: IKey;
  /** Another one for the logs. */
  readonly logEncryptionKey?: IKey;
  /** Another one for the queues. */
  readonly queueEncryptionKey?: IKey;
  /**
   * What becomes of tables and logs when the stack is deleted. `RETAIN`, the default, also protects the
   * tables from deletion.
   */
  readonly removalPolicy?: RemovalPolicy;
  /** How long logs are kept. Default: a month. */
  readonly logRetention?: RetentionDays;
  /** Where alarms are sent. Without it they only show. */
  readonly alarmTopic?: ITopic;
  /**
   * The `service` of metrics, traces and log lines. Default: made of the stack's name and this construct's
   * id.
   */
  readonly serviceName?: string;
}

export interface WorkerProps {
  /** Longer than an answer and its sends may take. Queues hide a trigger for six times as long. */
  readonly timeout?: Duration;
  /** In MB. */
  readonly memorySize?: number;
  /** Functions at once per queue. Each takes up to `batchSize` turns. */
  readonly concurrency?: number;
  /** Triggers handed to a function at once: a conversation each. */
  readonly batchSize?: number;
}

/** Requests per second in the long run, and at once. */
export interface RateProps {
  readonly rate?: number;
  readonly burst?: number;
}

/**
 * `rate` and `burst` are those of webhooks. They are high by default, because a message that is turned away
 * is lost unless its provider comes back, and Twilio does so only if the webhook's URL says so.
 */
export interface ThrottlingProps extends RateProps {
  /** Delivery states, about three for every reply. */
  readonly status?: RateProps;
  /** What pages of a web channel ask for. */
  readonly feed?: RateProps;
  readonly api?: RateProps;
  /** `/`, `/healthz` and `/readyz`, each. */
  readonly other?: RateProps;
}

export interface ConcurrencyProps {
  /** Kept for this function, and its maximum. A crowd at one function then takes nothing from the others. */
  readonly reserved?: number;
  /** Ready before the first request: no cold starts up to that many. They cost while they wait. */
  readonly provisioned?: number;
}

export interface NetworkProps {
  readonly vpc: IVpc | Vpc;
  /** Default: those with a route to the internet. */
  readonly subnets?: SubnetSelection;
  /** Default: a new one that lets everything out and nothing in. */
  readonly securityGroups?: ISecurityGroup[];
}

export const LULL_TABLES = ["conversations", "stage", "triggerLock", "state", "messages", "seen"] as const;
export type LullTable = (typeof LULL_TABLES)[number];

/** `api` is there where it is wanted. */
export type FunctionName = "webhook" | "api" | "worker" | "sweeper";
