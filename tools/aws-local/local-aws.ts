import type { SQSClient } from "@aws-sdk/client-sqs";
import { ENGINES } from "../../src/cli/engines.ts";
import { load } from "../../src/config/load.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { type AwsResources, awsResources } from "./aws-resources.ts";
import { type Emulators, REGION } from "./emulators.ts";
import { EventSource } from "./event-source.ts";
import type { Environment } from "./function-instance.ts";
import { openGateway } from "./gateway.ts";
import { LocalFunction } from "./local-function.ts";
import { Schedule } from "./schedule.ts";
import { startSecrets } from "./secrets.ts";
import { type LocalSettings, localSettings } from "./settings.ts";
import { createTargets } from "./targets.ts";

export type FunctionName = "webhook" | "api" | "worker" | "sweeper";

export interface LocalAwsOptions {
  readonly emulators: Emulators;
  /** As for `lull start`, and `LULL_LOCAL_...`. */
  readonly env: Environment;
  readonly cwd: string;
  /** Tells apart those that share their emulators. */
  readonly prefix?: string;
  /** A line of a function's log, or what an event source has to say. */
  readonly write: (line: string, from?: { readonly name: FunctionName; readonly instance: number }) => void;
  /** More environment for one function instance alone. */
  readonly envOf?: (name: FunctionName, instance: number) => Promise<Environment>;
}

/** Everything that a deployment has, on this machine. */
export interface LocalAws {
  readonly url: string;
  /**
   * What any other process has to know to work on the same tables and queues: `lull dead list`, the AWS CLI.
   */
  readonly env: Environment;
  /** How long what runs may go on after a request to stop, as the environment says. */
  readonly stopGraceMs: number;
  readonly functions: Readonly<Record<FunctionName, LocalFunction>>;
  /** URLs by channel. */
  readonly queues: Readonly<Record<string, string>>;
  /** No new work; what runs may go on for `graceMs`. */
  stop(graceMs?: number): Promise<void>;
}

interface Stoppable {
  stop(cut: Promise<unknown>): Promise<void>;
}

/**
 * Tables, queues with dead letters, the four functions, and what invokes them: gateway, event sources,
 * schedule.
 */
export async function startLocalAws(options: LocalAwsOptions): Promise<LocalAws> {
  const settings = localSettings(options.env);
  const { names, server } = await configured(options);
  const { prefix = "lull-", emulators } = options;
  const { visibilitySeconds } = settings;
  const place = await awsResources(emulators, { prefix, channels: names, visibilitySeconds });
  await createTargets(emulators, options.env);
  const { queues } = place;
  const secrets = await startSecrets(settings.secrets, options.cwd);
  const functions = functionsFrom(options, settings, place, secrets.url);
  const sqs = emulators.sqs();
  const sources = sourcesFrom(options, settings, { sqs, queues, worker: functions.worker });
  const schedule = new Schedule(functions.sweeper, settings.sweepMs, REGION);
  const invoking: Stoppable[] = [...sources, schedule];
  const stop = async (graceMs = 0) => {
    const over = new AbortController();
    const cut = systemClock.sleep(graceMs, over.signal);
    await Promise.all(invoking.map((each) => each.stop(cut)));
    await Promise.all(Object.values(functions).map((each) => each.stop(cut)));
    over.abort();
    sqs.destroy();
    await secrets.stop();
  };
  try {
    await functions.webhook.warmUp();
    for (const source of sources) await source.start();
    schedule.start();
    const gateway = await openGateway(functions, server);
    invoking.push(gateway);
    const { stopGraceMs } = server;
    return { url: gateway.url, env: place.env, stopGraceMs, functions, queues, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The configuration is read here only to know its channels and where to listen; functions read it themselves.
 */
async function configured({ env, cwd }: LocalAwsOptions) {
  const flags = { engine: "aws" };
  const loaded = await load({ file: undefined, env, flags, cwd, purpose: "start", engines: ENGINES });
  return { names: loaded.channels.map(({ name }) => name), server: loaded.server };
}

function functionsFrom(
  { env, write, envOf }: LocalAwsOptions,
  settings: LocalSettings,
  { prefix, env: place }: AwsResources,
  secretsUrl: string,
): Record<FunctionName, LocalFunction> {
  const deployed = { ...env, ...place, ...LAMBDA, AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsUrl };
  const made = (name: FunctionName, timeoutMs: number, instancesMax = settings.instancesMax) =>
    new LocalFunction({
      name: `${prefix}${name}`,
      handler: `${settings.entry}#${name}`,
      env: { ...deployed, AWS_LAMBDA_FUNCTION_NAME: `${prefix}${name}` },
      timeoutMs,
      instancesMax,
      write: (line, instance) => write(line, { name, instance }),
      ...(envOf && { envOf: (instance) => envOf(name, instance) }),
    });
  return {
    webhook: made("webhook", settings.webhookTimeoutMs),
    api: made("api", settings.webhookTimeoutMs),
    worker: made("worker", settings.workerTimeoutMs),
    sweeper: made("sweeper", settings.sweeperTimeoutMs, 1),
  };
}

/** What Lambda itself would set. */
const LAMBDA: Environment = {
  AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
  AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "512",
  // No daemon collects traces here.
  POWERTOOLS_TRACE_ENABLED: "false",
};

function sourcesFrom(
  { write }: LocalAwsOptions,
  { batchMax, instancesMax }: LocalSettings,
  parts: {
    readonly sqs: SQSClient;
    readonly queues: Readonly<Record<string, string>>;
    readonly worker: LocalFunction;
  },
): EventSource[] {
  return Object.values(parts.queues).map(
    (queueUrl) =>
      new EventSource({
        sqs: parts.sqs,
        queueUrl,
        region: REGION,
        target: parts.worker,
        concurrencyMax: instancesMax,
        batchMax,
        write: (line) => write(line),
      }),
  );
}
