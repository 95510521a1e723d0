import { extname, join } from "node:path";
import { type PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  EventSourceMapping,
  type IFunction,
  RecursiveLoop,
  Runtime,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import { type BundlingOptions, LogLevel, NodejsFunction, OutputFormat } from "aws-cdk-lib/aws-lambda-nodejs";
import { Duration } from "aws-cdk-lib/core";
import { Construct } from "constructs";
import { acknowledge, NO_RESOURCES } from "./acknowledged.ts";
import { concurrencyOf } from "./concurrency.ts";
import { hasToken } from "./config-secrets.ts";
import type { Keys } from "./keys.ts";
import { createLogGroup } from "./logs.ts";
import type { FunctionName, LullProps } from "./lull-props.ts";
import { type Network, networkOf } from "./network.ts";
import { PROP_DEFAULTS } from "./prop-table.ts";
import { type ChannelQueue, WORKER_TIMEOUT } from "./queues.ts";
import { SWEEP_EVERY } from "./schedule.ts";

/**
 * Named by its path, beside this file in the sources as in the build: code that runs is never loaded to
 * deploy it.
 */
const OWN_ENTRY = join(
  import.meta.dirname,
  "..",
  "lambda",
  `environment${extname(import.meta.filename) === ".ts" ? ".ts" : ".js"}`,
);

const { worker: WORKER } = PROP_DEFAULTS;

/** The gateway waits for half a minute, and a provider for half of that. */
const WEBHOOK_TIMEOUT = Duration.seconds(29);
/** A round is over before the next one starts. */
const SWEEPER_TIMEOUT = Duration.seconds(55);

const BUNDLING: BundlingOptions = {
  format: OutputFormat.ESM,
  mainFields: ["module", "main"],
  minify: true,
  sourceMap: true,
  sourcesContent: false,
  logLevel: LogLevel.WARNING,
  // The SDK that was tested, not the one that the runtime happens to bring; and less to read at a cold start.
  externalModules: [],
  // Packages that are still CommonJS need these.
  banner:
    "import{createRequire as lullCreateRequire}from'node:module';" +
    "const require=lullCreateRequire(import.meta.url);" +
    "const __filename=import.meta.filename,__dirname=import.meta.dirname;",
};

export interface FunctionOptions {
  readonly timeout: Duration;
  readonly memorySize: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly statements: readonly PolicyStatement[];
}

/** `api` where it is wanted. */
export type LullFunctions = Readonly<
  Record<Exclude<FunctionName, "api">, NodejsFunction> & { readonly api?: NodejsFunction }
>;

export function createFunctions(
  scope: Construct,
  props: LullProps,
  keys: Keys,
  optionsOf: (name: FunctionName) => Pick<FunctionOptions, "environment" | "statements">,
): LullFunctions {
  const { memorySize = PROP_DEFAULTS.memorySize, worker = {} } = props;
  const network = networkOf(scope, props);
  const create = (name: FunctionName, timeout: Duration, size: number) =>
    createFunction(scope, name, { props, keys, network }, { ...optionsOf(name), timeout, memorySize: size });
  return {
    webhook: create("webhook", WEBHOOK_TIMEOUT, memorySize),
    ...(hasApi(props) && { api: create("api", WEBHOOK_TIMEOUT, memorySize) }),
    worker: create("worker", worker.timeout ?? WORKER_TIMEOUT, worker.memorySize ?? WORKER.memorySize),
    sweeper: create("sweeper", SWEEPER_TIMEOUT, memorySize),
  };
}

const API_TOKENS = ["LULL_API_TOKEN", "LULL_TURN_TOKEN"];

/** Without a token the API would refuse every caller. */
export function hasApi({ api, config, secrets = {}, environment = {} }: LullProps): boolean {
  return (
    api ??
    (hasToken(config) ||
      API_TOKENS.some((name) => name in secrets || name in environment || `${name}_SECRET` in environment))
  );
}

interface Surroundings {
  readonly props: LullProps;
  readonly keys: Keys;
  readonly network: Network;
}

function createFunction(
  parent: Construct,
  name: FunctionName,
  { props, keys, network }: Surroundings,
  { timeout, memorySize, environment, statements }: FunctionOptions,
): NodejsFunction {
  // Not `Api`: the gateway has that name.
  const id = name === "api" ? "ApiFunction" : `${name[0]?.toUpperCase()}${name.slice(1)}`;
  const scope = new Construct(parent, id);
  const logGroup = createLogGroup(scope, "Log", props, keys);
  // Not AWSLambdaBasicExecutionRole: that may write to every log group there is.
  const role = new Role(scope, "Role", { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
  acknowledge(role, NO_RESOURCES);
  logGroup.grantWrite(role);
  for (const statement of [...statements, ...network.statements]) role.addToPrincipalPolicy(statement);
  const { reserved } = concurrencyOf(props, name);
  return new NodejsFunction(scope, "Function", {
    entry: props.entry ?? OWN_ENTRY,
    handler: name,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    bundling: BUNDLING,
    timeout,
    memorySize,
    environment: { NODE_OPTIONS: "--enable-source-maps", ...environment },
    role,
    logGroup,
    tracing: Tracing.ACTIVE,
    ...network.placed,
    ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
    // It sends triggers to the queues that wake it, by design: a paused conversation is looked at again for
    // days. After sixteen in a row Lambda would take that for a mistake, and stop it.
    ...(name === "worker" && { recursiveLoop: RecursiveLoop.ALLOW }),
    // A round that failed is not repeated: the next one comes within a minute.
    ...(name === "sweeper" && { retryAttempts: 0, maxEventAge: SWEEP_EVERY }),
  });
}

/** Each queue feeds the worker, and a bad trigger fails alone. */
export function feedWorker(
  scope: Construct,
  target: IFunction,
  queues: readonly ChannelQueue[],
  { worker = {} }: LullProps,
): void {
  for (const { channel, queue } of queues) {
    // Not SqsEventSource: it grants more than is used.
    new EventSourceMapping(scope, `${channel}-feed`, {
      target,
      eventSourceArn: queue.queueArn,
      batchSize: worker.batchSize ?? WORKER.batchSize,
      maxConcurrency: worker.concurrency ?? WORKER.concurrency,
      reportBatchItemFailures: true,
    });
  }
}
