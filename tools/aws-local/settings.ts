import { fileURLToPath } from "node:url";
import { ENGINES } from "../../src/cli/engines.ts";
import { load } from "../../src/config/load.ts";
import { ConfigError } from "../../src/errors.ts";
import type { Environment } from "./function-instance.ts";

/** What a deployment says elsewhere: sizes of queues and functions. */
export interface LocalSettings {
  /** The module that exports `webhook`, `worker` and `sweeper`. */
  readonly entry: string;
  /** Where the emulators keep their data; in memory where left out. */
  readonly folder: string | undefined;
  /** A JSON file: what Secrets Manager would hold, by name. */
  readonly secrets: string | undefined;
  readonly sweepMs: number;
  readonly webhookTimeoutMs: number;
  readonly workerTimeoutMs: number;
  readonly sweeperTimeoutMs: number;
  readonly visibilitySeconds: number;
  /** Per function, at once. */
  readonly instancesMax: number;
  readonly batchMax: number;
}

const ENTRY = fileURLToPath(new URL("../../src/lambda/environment.ts", import.meta.url));
/** As in the construct `Lull`. */
const WEBHOOK_SECONDS = 29;
const WORKER_SECONDS = 180;
const SWEEPER_SECONDS = 55;
/** AWS's own advice for a queue in front of a function. */
const VISIBILITY_FACTOR = 6;

export function localSettings(env: Environment): LocalSettings {
  const worker = seconds(env, "LULL_LOCAL_TIMEOUT_SECONDS", WORKER_SECONDS);
  const visibility = seconds(env, "LULL_LOCAL_VISIBILITY_SECONDS", worker * VISIBILITY_FACTOR);
  if (visibility < worker) {
    // Lambda refuses such a pair, too.
    throw new ConfigError("LULL_LOCAL_VISIBILITY_SECONDS must be at least LULL_LOCAL_TIMEOUT_SECONDS");
  }
  return {
    entry: env.LULL_LOCAL_ENTRY || ENTRY,
    folder: env.LULL_LOCAL_DATA || undefined,
    secrets: env.LULL_LOCAL_SECRETS || undefined,
    sweepMs: seconds(env, "LULL_LOCAL_SWEEP_SECONDS", 60) * 1_000,
    webhookTimeoutMs: WEBHOOK_SECONDS * 1_000,
    workerTimeoutMs: worker * 1_000,
    sweeperTimeoutMs: SWEEPER_SECONDS * 1_000,
    visibilitySeconds: Math.ceil(visibility),
    instancesMax: count(env, "LULL_LOCAL_INSTANCES_MAX", 4),
    batchMax: count(env, "LULL_LOCAL_BATCH_MAX", 10),
  };
}

/**
 * Whether there is nothing to write to but the phone page, as with `lull dev`: neither the environment nor a
 * file names a channel. Handlers of one's own bring theirs.
 */
export async function wantsPhone(env: Environment, cwd: string): Promise<boolean> {
  if (env.LULL_WEB || env.LULL_LOCAL_ENTRY) return false;
  const request = {
    file: undefined,
    flags: { engine: "aws" },
    cwd,
    purpose: "look",
    engines: ENGINES,
  } as const;
  const { channels } = await load({ ...request, env: { ...env, LULL_WEB: "0" } });
  return channels.length === 0;
}

function seconds(env: Environment, name: string, fallback: number): number {
  const value = Number(env[name] || fallback);
  if (!(value > 0)) throw new ConfigError(`${name} must be a number of seconds, not ${env[name]}`);
  return value;
}

function count(env: Environment, name: string, fallback: number): number {
  const value = Number(env[name] || fallback);
  if (!Number.isInteger(value) || value < 1) {
    throw new ConfigError(`${name} must be a whole number of at least 1, not ${env[name]}`);
  }
  return value;
}
