import { randomUUID } from "node:crypto";
import { mkdir, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll } from "vitest";
import type { Emulators } from "../../../tools/aws-local/emulators.ts";
import {
  type FunctionName,
  type LocalAws,
  type LocalAwsOptions,
  startLocalAws,
} from "../../../tools/aws-local/local-aws.ts";
import { eventually, type LogEvent } from "../../lull-process.ts";
import { peakMegabytesOf } from "../../service/one-machine.ts";
import { API_TOKEN, type Environments, environmentAmong, outside } from "../../service/outside.ts";
import type { Platform, RunningService } from "../../service/platform.ts";
import { bundleFunctions } from "../bundle.ts";
import { describeOnEmulators } from "../describe-on-emulators.ts";

/** A line of a function's log, and who wrote it. */
type FunctionEvent = LogEvent & { readonly from: FunctionName; readonly instance: number };

export interface LambdaService extends RunningService {
  readonly aws: LocalAws;
  readonly events: readonly FunctionEvent[];
}

/** What the places of a test file share. */
export interface AwsEmulation {
  readonly emulators: Emulators;
  /** The functions in one file, as they are deployed: it starts in half the time. */
  readonly entry: string;
}

const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/functions/", import.meta.url));

/** Cases on Lull's own functions, on emulators that they share. */
export function describeOnFunctions(title: string, cases: (emulation: AwsEmulation) => void): void {
  describeOnFunctionsOf(undefined, title, cases);
}

/** The same with the handlers of another module. */
export function describeOnFunctionsOf(
  source: string | undefined,
  title: string,
  cases: (emulation: AwsEmulation) => void,
): void {
  describeOnEmulators(title, (emulators) => {
    const entry = join(CACHE, `${source ? basename(source, ".ts") : "environment"}.mjs`);
    beforeAll(async () => {
      const own = `${entry}.${process.pid}`;
      await mkdir(CACHE, { recursive: true });
      await bundleFunctions(own, source);
      // Other files make the same one at the same time, and read it.
      await rename(own, entry);
    });
    cases({ emulators, entry });
  });
}

/** Every place has tables, queues and functions of its own. */
export async function startLambdaService(
  { emulators, entry }: AwsEmulation,
  environment: Environments,
  more: Pick<LocalAwsOptions, "envOf"> = {},
): Promise<LambdaService> {
  let url = "";
  const { leave, env: providers, ...people } = await outside(() => url);
  const events: FunctionEvent[] = [];
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const aws = await startLocalAws({
    emulators,
    cwd: tmpdir(),
    prefix: `${randomUUID().slice(0, 8)}-`,
    env: {
      PATH,
      NODE_COMPILE_CACHE,
      PORT: "0",
      LULL_WINDOW_SECONDS: "1",
      LULL_API_TOKEN: API_TOKEN,
      LULL_LOCAL_ENTRY: entry,
      ...providers,
      ...environmentAmong(people, environment),
    },
    write: (line, from) => {
      const event = eventIn(line);
      if (from && event) events.push({ ...event, from: from.name, instance: from.instance });
    },
    ...more,
  });
  url = aws.url;
  const functions = Object.values(aws.functions);
  const instances = () => functions.flatMap((each) => [...each.instances.values()]);
  return {
    ...people,
    aws,
    events,
    paceMs: 200,
    hasMetrics: false,
    async holder() {
      const taken = await eventually("a lease", async () =>
        events.find(({ event }) => event === "lease.taken"),
      );
      return aws.functions.worker.instances.get(taken.instance)!;
    },
    /** The tables and queues are AWS's own; what can die there is a function. */
    async crash() {
      const all = instances();
      for (const instance of all) instance.kill();
      await Promise.all(all.map((instance) => instance.gone()));
    },
    async peakMegabytes() {
      return Math.max(0, ...(await Promise.all(instances().map(({ pid }) => peakMegabytesOf(pid ?? 0)))));
    },
    async end() {
      await aws.stop();
      await leave();
    },
  };
}

/** Functions write metrics, too, and whatever their libraries have to say. */
function eventIn(line: string): LogEvent | undefined {
  if (!line.startsWith("{") || !line.endsWith("}")) return undefined;
  const parsed = JSON.parse(line) as Partial<LogEvent>;
  return parsed.event === undefined ? undefined : (parsed as LogEvent);
}

/**
 * No process hears of a function's death: its lease has to lapse, and the machines' clocks may differ by two
 * seconds.
 */
export const SOON = { LULL_LEASE_SECONDS: "5", LULL_SETTLE_SECONDS: "1", LULL_LOCAL_SWEEP_SECONDS: "1" };

/** API Gateway, Lambda, SQS and DynamoDB. How many workers there are is Lambda's business. */
export function awsPlatform(emulation: AwsEmulation): Platform {
  return {
    batchMessagesMax: 30,
    healsSoon: SOON,
    outlastsSoon: SOON,
    tellsStale: false,
    crowd: 100,
    crowdSeconds: "6",
    start: (environment) => startLambdaService(emulation, environment),
  };
}
