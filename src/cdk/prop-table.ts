import { type ObjectSchema, options, record, ruled, type Schema, text, whole } from "../schema/schema.ts";
import {
  type ConcurrencyProps,
  LULL_TABLES,
  type LullProps,
  type LullTable,
  type NetworkProps,
  type RateProps,
  type ThrottlingProps,
  type WorkerProps,
} from "./lull-props.ts";

/** One prop: what it has to be, as far as that can be told here, and its row in docs/aws.md. */
interface Prop {
  readonly schema: Schema;
  /** What holds without it, where its schema has no default. */
  readonly otherwise?: string;
  readonly help: string;
}

/** A whole number, seconds where the prop is a `Duration`. */
function amount(minimum: number, maximum: number, value?: number, help?: string): Schema<number> {
  return { ...whole({ minimum, maximum }, help), ...(value !== undefined && { default: value }) };
}

/** A schema for each prop of the type, and for no other. */
function propsOf<T>(each: Readonly<Record<keyof T, Schema>>, help?: string): ObjectSchema {
  return options(each, help);
}

/** Its type says what it is: constructs of CDK, for the most part. */
const TYPED: Schema = {};
const NAMED = Object.fromEntries(LULL_TABLES.map((name) => [name, TYPED])) as Record<LullTable, Schema>;
const RESERVED_MAX = 100_000;
const MEMORY_MB = 512;
/** Variables of a function have 4 KB in all. */
export const CONFIG_BYTES_MAX = 3_000;

function memory(help: string): Schema<number> {
  return amount(128, 10_240, MEMORY_MB, help);
}

/** What is used where a prop is left out, in the units of `amount`. */
export const PROP_DEFAULTS = {
  memorySize: MEMORY_MB,
  worker: { timeout: 180, memorySize: MEMORY_MB, concurrency: 50, batchSize: 10 },
  throttling: {
    webhooks: { rate: 2_000, burst: 4_000 },
    status: { rate: 1_000, burst: 2_000 },
    feed: { rate: 200, burst: 400 },
    api: { rate: 20, burst: 40 },
    other: { rate: 10, burst: 20 },
  },
} as const;

const { worker: WORKER, throttling: RATES } = PROP_DEFAULTS;

function rates({ rate, burst }: Required<RateProps>) {
  return { rate: amount(1, 100_000, rate), burst: amount(1, 50_000, burst) };
}

const throttle = (name: keyof typeof RATES, help: string) => propsOf<RateProps>(rates(RATES[name]), help);

const INSTANCES = ruled(
  propsOf<ConcurrencyProps>({ reserved: amount(1, RESERVED_MAX), provisioned: amount(1, RESERVED_MAX) }),
  (given, _, where) => {
    const { reserved = RESERVED_MAX, provisioned = 0 } = given as ConcurrencyProps;
    return provisioned > reserved
      ? `${where}.provisioned must not be more than reserved, ${reserved}`
      : undefined;
  },
);

/** Every prop of the construct: checks at synth, their words and the table in docs/aws.md follow. */
export const PROPS: Readonly<Record<keyof LullProps, Prop>> = {
  channels: { schema: TYPED, otherwise: "none", help: "a queue each; `default` always exists" },
  config: {
    schema: TYPED,
    otherwise: "none",
    help:
      "what a `lull.config.json` would hold, such as [projects](projects.md): " +
      `${CONFIG_BYTES_MAX.toLocaleString("en-US")} bytes at most. Without \`entry\`. ` +
      "Secrets are named in it (`{ env }`, with the name in `secrets`): " +
      "synth warns of one that is written out, and of one that no function is given or may read",
  },
  environment: {
    schema: record(text()),
    otherwise: "none",
    help: "variables, as for `lull start`; `LULL_CONFIG` is refused there: `config` is looked into at synth",
  },
  secrets: {
    schema: TYPED,
    otherwise: "none",
    help:
      "variables whose values stay in Secrets Manager: " +
      "a secret is told by name, and each function may read " +
      "[those that it needs](#who-may-read-which-secret)",
  },
  api: {
    schema: TYPED,
    otherwise: "where `LULL_API_TOKEN`, `LULL_TURN_TOKEN` or a token in `config` is given",
    help:
      "`/api`, in a function with a role of its own. Without it there is none: " +
      "the [commands](#operating) read the tables",
  },
  entry: {
    schema: TYPED,
    otherwise: "Lull's own",
    help: "your file that exports `webhook`, `worker`, `sweeper`, and `api` where that is wanted",
  },
  aiQueue: {
    schema: TYPED,
    otherwise: "none: turns are answered here",
    help:
      "turns are [handed to this queue](#queues-that-turns-are-handed-to): `true` makes one, " +
      "or a queue of `aws-cdk-lib/aws-sqs`",
  },
  handOffQueue: {
    schema: TYPED,
    otherwise: "none",
    help: "the same for the turns of conversations that a human has",
  },
  worker: {
    schema: propsOf<WorkerProps>({
      timeout: amount(
        30,
        900,
        WORKER.timeout,
        "seconds, as a `Duration`; queues hide a trigger 6 times as long",
      ),
      memorySize: memory("MB"),
      concurrency: amount(2, 1_000, WORKER.concurrency, "functions at once, per queue"),
      batchSize: amount(1, 10, WORKER.batchSize, "triggers for a function at once, a conversation each"),
    }),
    help: "the function that takes turns",
  },
  memorySize: { schema: memory("MB"), help: "of `webhook`, `api` and `sweeper`" },
  throttling: {
    schema: propsOf<ThrottlingProps>({
      ...rates(RATES.webhooks),
      status: throttle("status", "delivery states, about three for every reply"),
      feed: throttle("feed", "what pages of a web channel ask for"),
      api: throttle("api", "`/api`"),
      other: throttle("other", "`/`, `/healthz` and `/readyz`, each"),
    }),
    help: "webhooks per second, and at once: [limits of the gateway](#limits-of-the-gateway)",
  },
  concurrency: {
    schema: propsOf<NonNullable<LullProps["concurrency"]>>({
      webhook: INSTANCES,
      api: INSTANCES,
      worker: INSTANCES,
    }),
    otherwise: "none",
    help:
      "`{ webhook: { reserved, provisioned }, api, worker }`. " +
      "`reserved`: instances that no other function gets, and its most; " +
      "the worker needs queues × `worker.concurrency`. " +
      `\`provisioned\`: no cold starts up to that many. Each 1 to ${RESERVED_MAX.toLocaleString("en-US")}`,
  },
  network: {
    schema: propsOf<NetworkProps>({ vpc: TYPED, subnets: TYPED, securityGroups: TYPED }),
    otherwise: "Lambda's own",
    help:
      "`{ vpc, subnets, securityGroups }`. The functions must reach DynamoDB, SQS and Secrets Manager " +
      "(endpoints or NAT), and your provider and model (NAT)",
  },
  deployment: {
    schema: TYPED,
    otherwise: "all at once",
    help:
      "`LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES` and the like: " +
      "an alias `live` for `webhook`, `api` and `worker`, traffic shifted by CodeDeploy, " +
      "back by itself when the new version fails",
  },
  tables: {
    schema: options(NAMED),
    otherwise: "made here",
    help: "existing ones, with the keys and indexes of `TABLES`",
  },
  warmThroughput: {
    schema: options(NAMED),
    otherwise: "AWS's: 4,000 writes, 12,000 reads a second",
    help: "by table, its indexes with it: before a campaign, not during it",
  },
  encryptionKey: {
    schema: TYPED,
    otherwise: "AWS managed",
    help:
      "your key for tables, queues and logs. A key that another app made must let " +
      "`logs.<region>.amazonaws.com` use it",
  },
  logEncryptionKey: { schema: TYPED, otherwise: "`encryptionKey`", help: "another one for the logs" },
  queueEncryptionKey: { schema: TYPED, otherwise: "`encryptionKey`", help: "another one for the queues" },
  removalPolicy: {
    schema: TYPED,
    otherwise: "`RETAIN`",
    help: "of tables and logs; tables are then protected from deletion",
  },
  logRetention: { schema: TYPED, otherwise: "a month", help: "how long logs are kept" },
  alarmTopic: { schema: TYPED, otherwise: "none", help: "where alarms are sent; without it they only show" },
  serviceName: {
    schema: TYPED,
    otherwise: "stack and id",
    help: "the `service` of metrics, traces and log lines",
  },
};

export const PROPS_SCHEMA = options(
  Object.fromEntries(Object.entries(PROPS).map(([name, { schema }]) => [name, schema])),
);
